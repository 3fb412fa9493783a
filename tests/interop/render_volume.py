"""Opens a VDB of a smoke scene in Blender's Cycles, draws it against a grey wall, and asserts that smoke is seen.

Run by scripts/interop: blender -b --factory-startup -P render_volume.py -- FILE.vdb PICTURE.png
"""
import math
import pathlib
import sys

import bpy
import mathutils

SIZE = 320, 400


def import_volume(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.object.volume_import(filepath=str(path), files=[{"name": path.name}], directory=str(path.parent)) == {
        "FINISHED"
    }, path
    volume = bpy.context.view_layer.objects.active
    assert volume.data.grids.load(), volume.data.grids.error_message
    names = [grid.name for grid in volume.data.grids]
    assert "density" in names, names
    volume.rotation_euler = (math.pi / 2, 0, 0)  # Selkie's y is up, Blender's z is
    material = bpy.data.materials.new("smoke")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    principled = nodes.new("ShaderNodeVolumePrincipled")
    principled.inputs["Density"].default_value = 30
    principled.inputs["Color"].default_value = (0.9, 0.9, 0.9, 1)
    links.new(principled.outputs["Volume"], nodes.new("ShaderNodeOutputMaterial").inputs["Volume"])
    volume.data.materials.append(material)
    return volume


def place_camera_and_light(volume):
    bpy.context.view_layer.update()
    corners = [volume.matrix_world @ mathutils.Vector(c) for c in volume.bound_box]
    centre = sum(corners, mathutils.Vector()) / 8
    reach = max((c - centre).length for c in corners)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = centre + mathutils.Vector((0.6, -1.0, 0.25)).normalized() * 3.2 * reach
    camera.rotation_euler = (centre - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 4
    sun.rotation_euler = (math.radians(40), math.radians(20), 0)
    for thing in camera, sun:
        bpy.context.collection.objects.link(thing)
    bpy.context.scene.camera = camera
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.05, 0.07, 0.1, 1)
    bpy.context.scene.world = world


def render(picture):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = 24
    scene.cycles.use_denoising = False
    scene.cycles.volume_max_steps = 128
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.filepath = str(picture)
    bpy.ops.render.render(write_still=True)


def check(picture):
    image = bpy.data.images.load(str(picture))
    values = list(image.pixels)[0::4]
    background, brightest = sorted(values)[len(values) // 20], max(values)
    seen = sum(v > background + 0.1 for v in values) / len(values)
    print(f"{picture.name}: {100 * seen:.1f} % of the pixels show smoke, background {background:.2f}, brightest {brightest:.2f}")
    assert 0.01 < seen < 0.9 and brightest > background + 0.2


if __name__ == "__main__":
    source, target = (pathlib.Path(a).resolve() for a in sys.argv[sys.argv.index("--") + 1 :])
    place_camera_and_light(import_volume(source))
    render(target)
    check(target)
