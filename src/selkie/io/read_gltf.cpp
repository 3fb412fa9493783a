// glTF and GLB through Assimp, behind the fence of detail/gltf_fence.h. Node transforms are applied; vertices
// at exactly equal places are welded, since exporters split them along texture and normal seams.
#include <assimp/scene.h>

#include <assimp/Importer.hpp>

#include "selkie/core/error.h"
#include "selkie/io/detail/gltf_fence.h"
#include "selkie/io/detail/mesh_parts.h"

namespace selkie::io::detail {
namespace {

void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& world_from_parent,
              geometry::TriangleMesh& mesh) {
  const aiMatrix4x4 world_from_node = world_from_parent * node.mTransformation;
  const bool mirrored = world_from_node.Determinant() < 0;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[i]];
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D p = world_from_node * part.mVertices[v];
      mesh.positions.emplace_back(p.x, p.y, p.z);
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // degenerate leftovers of strips
      const std::uint32_t a = first + face.mIndices[0], b = first + face.mIndices[1],
                          c = first + face.mIndices[2];
      mesh.triangles.push_back(mirrored ? geometry::Triangle{a, c, b} : geometry::Triangle{a, b, c});
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_node(scene, *node.mChildren[i], world_from_node, mesh);
}

}  // namespace

geometry::TriangleMesh read_gltf(std::string_view bytes, const std::string& source,
                                 const std::optional<std::filesystem::path>& folder) {
  const std::string glb = geometry_only_glb(bytes, source, folder);
  geometry::TriangleMesh mesh;
  std::string trouble;
  try {
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFileFromMemory(glb.data(), glb.size(), 0, "glb");
    if (scene && scene->mRootNode)
      add_node(*scene, *scene->mRootNode, aiMatrix4x4(), mesh);
    else
      trouble = importer.GetErrorString();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  if (!trouble.empty())
    throw InputError(SourceLocation{source}, "the glTF reader refuses the file: " + trouble,
                     "export the mesh again as glTF 2.0 or .glb");
  require_readable(mesh, source);
  weld(mesh);
  return mesh;
}

}  // namespace selkie::io::detail
