# The dam break of bench/liquid_bench.cpp in Blender's Mantaflow:
#   blender -t N -b --factory-startup -P FILE -- RES FRAMES
# Prints the wall-clock seconds of each frame (one step a frame), its own writing of the cache included, which
# Blender does not let one turn off. No mesh is made.
import shutil
import sys
import tempfile
import time

import bpy

resolution, frames = (int(a) for a in sys.argv[sys.argv.index("--") + 1 :])
cache = tempfile.mkdtemp(prefix="selkie-mantaflow-")
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing, do_unlink=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, frames

bpy.ops.mesh.primitive_cube_add(size=2, location=(0, 0, 1))
domain = bpy.context.object.modifiers.new("Fluid", "FLUID")
domain.fluid_type = "DOMAIN"
settings = domain.domain_settings
settings.domain_type = "LIQUID"
settings.resolution_max = resolution
settings.cache_directory = cache
settings.cache_type = "REPLAY"
settings.cache_frame_start, settings.cache_frame_end = 1, frames
settings.use_adaptive_timesteps = False
settings.timesteps_min = settings.timesteps_max = 1
settings.use_mesh = False

bpy.ops.mesh.primitive_cube_add(size=1, location=(-0.6, 0, 0.6))
source = bpy.context.object
source.scale = (0.8, 1.98, 1.18)
bpy.context.view_layer.update()
flow = source.modifiers.new("Fluid", "FLUID")
flow.fluid_type = "FLOW"
flow.flow_settings.flow_type = "LIQUID"
flow.flow_settings.flow_behavior = "GEOMETRY"

for frame in range(1, frames + 1):
    begin = time.perf_counter()
    scene.frame_set(frame)
    bpy.context.view_layer.update()
    print(f"STEP {frame} {time.perf_counter() - begin:.4f}", flush=True)
shutil.rmtree(cache, ignore_errors=True)
