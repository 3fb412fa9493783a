// See archive.h. The only file that includes HDF5. Debian's serial HDF5 is not thread-safe, so one mutex
// guards every call; its own error printing is off. Archives are built in memory (HDF5's core driver) and
// written by our sink: after a write that fails, HDF5 1.10 cannot close its file and crashes at exit.
#include "selkie/io/archive.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "selkie/core/check.h"
#include "selkie/core/error.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/archive_header.h"

namespace selkie::io {
namespace {

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Holds the library and keeps it silent.
class Hdf5Lock {
 public:
  Hdf5Lock() : guard_(hdf5_mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

 private:
  std::lock_guard<std::mutex> guard_;
};

// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Handle() { reset(); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }  // NOLINT: HDF5 functions take plain identifiers
  bool ok() const { return id_ >= 0; }
  bool reset() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t file_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::f32:
      return H5T_IEEE_F32LE;
    case Scalar::f64:
      return H5T_IEEE_F64LE;
    case Scalar::i32:
      return H5T_STD_I32LE;
    case Scalar::u32:
      return H5T_STD_U32LE;
    case Scalar::i64:
      return H5T_STD_I64LE;
    case Scalar::u64:
      return H5T_STD_U64LE;
    case Scalar::u8:
      return H5T_STD_U8LE;
  }
  return -1;
}

std::string shape_text(const ArchiveArray& shape) {
  return std::to_string(shape.count) + " × " + std::to_string(shape.components) + ' ' +
         std::string(scalar_name(shape.scalar));
}

std::string joined(std::string_view group, const std::string& name) {
  return (group == "/" ? std::string() : std::string(group)) + '/' + name;
}

}  // namespace

struct ArchiveWriter::File {
  // In memory only that can run out, or a name be given twice.
  void require(bool ok) const {
    if (!ok)
      throw OutputError(target.string(), "HDF5 could not build the archive",
                        "Free some memory, or give each name once.");
  }

  // The groups on the way to `name`. Made one by one: those that HDF5 makes by itself
  // (H5Pset_create_intermediate_group) carry the time of day.
  void create_groups(const std::string& name) {
    const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    require(creation.ok() && H5Pset_obj_track_times(creation, false) >= 0);
    for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      const std::string group = name.substr(0, slash);
      const htri_t exists = H5Lexists(file, group.c_str(), H5P_DEFAULT);
      require(exists >= 0);
      if (exists > 0) continue;
      const Handle made(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
      require(made.ok());
    }
  }

  // A new dataset, with the groups on its way. Without time stamps: equal content, equal bytes.
  Handle create(const std::string& name, hid_t type, hid_t space) {
    SELKIE_CHECK(name.starts_with('/') && name.size() > 1, "archive names are absolute paths");
    create_groups(name);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    require(creation.ok() && H5Pset_obj_track_times(creation, false) >= 0);
    Handle dataset(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    require(dataset.ok());
    return dataset;
  }

  // The finished HDF5 file, as it lies in memory.
  std::span<const std::byte> image() const;

  std::filesystem::path target;
  ArchiveKind kind;
  Handle file{-1, H5Fclose};
};

ArchiveWriter::ArchiveWriter(std::filesystem::path path, const ArchiveKind& kind)
    : file_(std::make_unique<File>()) {
  SELKIE_CHECK(
      !kind.name.empty() && kind.name.size() < 100 && kind.name.find_first_of(" \n") == std::string::npos,
      "an archive's kind is one word");
  file_->target = std::move(path);
  file_->kind = kind;
  const Hdf5Lock lock;
  constexpr std::size_t kGrowth = std::size_t{16} << 20;
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  file_->require(creation.ok() && access.ok() && H5Pset_obj_track_times(creation, false) >= 0 &&
                 H5Pset_fapl_core(access, kGrowth, /*backing_store=*/false) >= 0 &&
                 H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) >= 0);
  // HDF5 tells files in memory apart by name, and would load one that exists on the disk first.
  static int count = 0;
  const std::string name = "/dev/null/selkie-archive-" + std::to_string(++count);
  file_->file = Handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  file_->require(file_->file.ok());
}

ArchiveWriter::~ArchiveWriter() {
  const Hdf5Lock lock;
  file_->file.reset();
}

void ArchiveWriter::put_array(std::string_view name, const ArchiveArray& shape,
                              std::span<const std::byte> bytes, std::string_view unit) {
  SELKIE_CHECK(
      bytes.size() == shape.count * static_cast<std::size_t>(shape.components) * scalar_size(shape.scalar),
      "an array's bytes fit its shape");
  const Hdf5Lock lock;
  const std::array<hsize_t, 2> sizes{shape.count, static_cast<hsize_t>(shape.components)};
  const Handle space(H5Screate_simple(shape.components == 1 ? 1 : 2, sizes.data(), nullptr), H5Sclose);
  file_->require(space.ok());
  const hid_t type = file_type(shape.scalar);
  Handle dataset = file_->create(std::string(name), type, space);
  if (!bytes.empty())
    file_->require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0);
  if (!unit.empty()) {
    const Handle text_type(H5Tcopy(H5T_C_S1), H5Tclose), single(H5Screate(H5S_SCALAR), H5Sclose);
    file_->require(H5Tset_size(text_type, unit.size()) >= 0 &&
                   H5Tset_strpad(text_type, H5T_STR_NULLPAD) >= 0 &&
                   H5Tset_cset(text_type, H5T_CSET_UTF8) >= 0);
    const Handle attribute(H5Acreate2(dataset, "unit", text_type, single, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    file_->require(attribute.ok() && H5Awrite(attribute, text_type, unit.data()) >= 0);
  }
  file_->require(dataset.reset());
}

void ArchiveWriter::put_text(std::string_view name, std::string_view text) {
  // One byte more than the text, so that an empty one has a size HDF5 accepts.
  const std::string terminated(text);
  const Hdf5Lock lock;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), single(H5Screate(H5S_SCALAR), H5Sclose);
  file_->require(H5Tset_size(type, text.size() + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
  Handle dataset = file_->create(std::string(name), type, single);
  file_->require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, terminated.c_str()) >= 0 &&
                 dataset.reset());
}

void ArchiveWriter::put_integer(std::string_view name, std::int64_t value) {
  const Hdf5Lock lock;
  const Handle single(H5Screate(H5S_SCALAR), H5Sclose);
  Handle dataset = file_->create(std::string(name), H5T_STD_I64LE, single);
  file_->require(H5Dwrite(dataset, H5T_STD_I64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0 &&
                 dataset.reset());
}

void ArchiveWriter::put_arrays(std::string_view group, std::span<const ArrayRef> arrays) {
  for (const ArrayRef& a : arrays)
    put_array(joined(group, a.name), {.scalar = a.scalar, .components = a.components, .count = a.count},
              a.as_bytes(), a.unit);
}

std::span<const std::byte> ArchiveWriter::File::image() const {
  require(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  // The core driver's handle is the address of its buffer: no second copy of the archive.
  void* handle = nullptr;
  require(size > 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle != nullptr);
  return {*static_cast<const std::byte* const*>(handle), static_cast<std::size_t>(size)};
}

void ArchiveWriter::commit() {
  SELKIE_CHECK(file_->file.ok(), "an archive is committed once");
  const Hdf5Lock lock;
  const std::span<const std::byte> body = file_->image();
  write_file_atomically(file_->target, [&](FileSink& sink) {
    sink.write(detail::archive_header(file_->kind, body));
    sink.write(body);
  });
  file_->file.reset();
}

struct ArchiveReader::File {
  [[noreturn]] void refuse(std::string_view name, const std::string& problem) const {
    throw InputError({.file = path.string()}, "'" + std::string(name) + "' " + problem,
                     "The archive was written by a different version or for a different scene.");
  }
  Handle dataset(std::string_view name) const {
    Handle found(H5Dopen2(file, std::string(name).c_str(), H5P_DEFAULT), H5Dclose);
    if (!found.ok()) refuse(name, "is not in the archive");
    return found;
  }
  ArchiveArray shape(std::string_view name, const Handle& set) const {
    const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2) refuse(name, "is not an array");
    std::array<hsize_t, 2> sizes{0, 1};
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    for (const Scalar s :
         {Scalar::f32, Scalar::f64, Scalar::i32, Scalar::u32, Scalar::i64, Scalar::u64, Scalar::u8})
      if (H5Tequal(type, file_type(s)) > 0)
        return {.scalar = s,
                .components = static_cast<int>(sizes[1]),
                .count = static_cast<std::size_t>(sizes[0])};
    refuse(name, "holds an unknown kind of number");
  }
  void read(std::string_view name, const Handle& set, hid_t type, void* out) const {
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) refuse(name, "cannot be read");
  }

  std::filesystem::path path;
  int version = 0;
  Handle file{-1, H5Fclose};
};

ArchiveReader::ArchiveReader(std::filesystem::path path, const ArchiveKind& newest)
    : file_(std::make_unique<File>()) {
  file_->version = detail::verify_archive(path, newest);
  file_->path = std::move(path);
  const Hdf5Lock lock;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access, false, true);  // locks fail on some network file systems; nobody writes here
  file_->file = Handle(H5Fopen(file_->path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file_->file.ok()) file_->refuse("/", "cannot be opened by HDF5");
}

ArchiveReader::~ArchiveReader() {
  const Hdf5Lock lock;
  file_->file.reset();
}

int ArchiveReader::content_version() const { return file_->version; }

bool ArchiveReader::contains(std::string_view name) const {
  const Hdf5Lock lock;
  const Handle object(H5Oopen(file_->file, std::string(name).c_str(), H5P_DEFAULT), H5Oclose);
  return object.ok();
}

std::vector<std::string> ArchiveReader::names_in(std::string_view group) const {
  const Hdf5Lock lock;
  std::vector<std::string> names;
  const Handle opened(H5Gopen2(file_->file, std::string(group).c_str(), H5P_DEFAULT), H5Gclose);
  if (!opened.ok()) return names;
  H5Literate(
      opened, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* result) -> herr_t {
        static_cast<std::vector<std::string>*>(result)->emplace_back(name);
        return 0;
      },
      &names);
  std::sort(names.begin(), names.end());
  return names;
}

ArchiveArray ArchiveReader::array_shape(std::string_view name) const {
  const Hdf5Lock lock;
  return file_->shape(name, file_->dataset(name));
}

std::vector<std::byte> ArchiveReader::array_bytes(std::string_view name) const {
  const Hdf5Lock lock;
  const Handle set = file_->dataset(name);
  const ArchiveArray shape = file_->shape(name, set);
  std::vector<std::byte> bytes(shape.count * static_cast<std::size_t>(shape.components) *
                               scalar_size(shape.scalar));
  if (!bytes.empty()) file_->read(name, set, file_type(shape.scalar), bytes.data());
  return bytes;
}

std::string ArchiveReader::text(std::string_view name) const {
  const Hdf5Lock lock;
  const Handle set = file_->dataset(name);
  const Handle type(H5Dget_type(set), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) file_->refuse(name, "is not a text");
  std::string text(H5Tget_size(type), '\0');
  file_->read(name, set, type, text.data());
  text.pop_back();
  return text;
}

std::int64_t ArchiveReader::integer(std::string_view name) const {
  const Hdf5Lock lock;
  const Handle set = file_->dataset(name);
  const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  if (H5Tequal(type, H5T_STD_I64LE) <= 0 || H5Sget_simple_extent_ndims(space) != 0)
    file_->refuse(name, "is not an integer");
  std::int64_t value = 0;
  file_->read(name, set, type, &value);
  return value;
}

void ArchiveReader::read_arrays(std::string_view group, FunctionRef<std::vector<ArrayRef>()> arrays) const {
  const Hdf5Lock lock;
  // Check everything before changing anything.
  std::vector<ArrayRef> targets = arrays();
  std::vector<std::size_t> counts;
  for (const ArrayRef& a : targets) {
    const std::string name = joined(group, a.name);
    const ArchiveArray found = file_->shape(name, file_->dataset(name));
    const ArchiveArray wanted{
        .scalar = a.scalar, .components = a.components, .count = a.resize ? found.count : a.count};
    if (found.scalar != wanted.scalar || found.components != wanted.components || found.count != wanted.count)
      file_->refuse(name, "is " + shape_text(found) + " where " + shape_text(wanted) + " is expected");
    counts.push_back(found.count);
  }
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (targets[k].resize && targets[k].count != counts[k]) targets[k].resize(counts[k]);
  targets = arrays();
  for (const ArrayRef& a : targets) {
    const std::string name = joined(group, a.name);
    if (a.count > 0) file_->read(name, file_->dataset(name), file_type(a.scalar), a.data);
  }
}

}  // namespace selkie::io
