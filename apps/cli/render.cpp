// `selkie render`: pictures and films of a run or a scene.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "commands.h"
#include "film.h"
#include "frame_source.h"
#include "picture_plan.h"
#include "selkie/core/text.h"
#include "selkie/core/value.h"
#include "selkie/io/write_png.h"
#include "terminal.h"

namespace selkie::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

io::RgbImage image_of(const render::Picture& picture) {
  return {picture.width, picture.height, std::span(picture.pixels.front().data(), 3 * picture.pixels.size())};
}

// Tells of the pictures as they come.
class Teller {
 public:
  Teller(const CommonOptions& common) : common_(common), line_(common) {}

  void simulated(std::int64_t frame) {
    line_.show(fmt::format("simulating: frame {}", frame), seconds_since(begin_), false);
  }
  void drawn(const PicturePlan& plan, std::size_t done, const render::Picture& picture,
             const std::filesystem::path& file) {
    if (done == 1) first_ = seconds_since(begin_) - picture.seconds;
    const std::size_t count = plan.frames.size();
    const double elapsed = seconds_since(begin_);
    if (common_.json) {
      Value event;
      event["event"].data = std::string("picture");
      event["frame"].data = std::int64_t{plan.frames[done - 1]};
      event["picture"].data = static_cast<std::int64_t>(done);
      event["pictures"].data = static_cast<std::int64_t>(count);
      event["samples"].data = std::int64_t{picture.samples};
      event["seconds"].data = picture.seconds;
      event["file"].data = file.string();
      fmt::print("{}\n", to_json(event, 0));
      std::fflush(stdout);
      return;
    }
    const double each = (elapsed - first_) / static_cast<double>(done);
    line_.show(fmt::format("picture {}/{}  frame {}  {} rays per pixel, {}{}", done, count,
                           plan.frames[done - 1], picture.samples, duration_text(picture.seconds),
                           done < count ? fmt::format(", {} left",
                                                      duration_text(each * static_cast<double>(count - done)))
                                        : ""),
               elapsed, done == count);
  }
  void ended(const PicturePlan& plan, std::size_t done, const char* how) {
    line_.finish_line();
    if (common_.json) {
      Value event;
      event["event"].data = std::string("end");
      event["end"].data = std::string(how);
      event["pictures"].data = static_cast<std::int64_t>(done);
      event["seconds"].data = seconds_since(begin_);
      event["output"].data = plan.target.string();
      fmt::print("{}\n", to_json(event, 0));
    } else if (!common_.quiet) {
      fmt::print("{}: {} picture{} in {} to {}\n", how, done, done == 1 ? "" : "s",
                 duration_text(seconds_since(begin_)), plan.target.string());
    }
  }
  void finish_line() { line_.finish_line(); }

 private:
  const CommonOptions& common_;
  StatusLine line_;
  Clock::time_point begin_ = Clock::now();
  double first_ = 0;  // s, when the first picture began
};

// Draws one after another until done or interrupted; how many were finished.
std::size_t draw_all(FrameSource& source, const PicturePlan& plan, Teller& teller) {
  std::optional<Film> film;
  if (plan.form == PictureForm::film)
    film.emplace(plan.target, plan.settings.width, plan.settings.height, plan.film_fps);
  std::size_t done = 0;
  const scene::SceneDescription& scene = source.description();
  try {
    for (const std::int64_t frame : plan.frames) {
      if (interrupted()) break;
      const render::Picture picture =
          render::render(source.drawables(frame), scene.material, plan.camera, plan.light, plan.settings);
      const std::filesystem::path file = picture_path(plan, scene.scene.name, frame);
      if (film)
        film->add(image_of(picture));
      else
        io::write_png(file, image_of(picture));
      teller.drawn(plan, ++done, picture, file);
    }
  } catch (const Interrupted&) {
  } catch (const NumericalFailure&) {
    if (film && done > 0) film->finish();
    throw;
  }
  if (film && done > 0) film->finish();
  return done;
}

}  // namespace

int render(const CommonOptions& common, const RenderOptions& options) {
  Teller teller(common);
  PicturePlan plan;
  std::size_t done = 0;
  catch_interrupts();
  try {
    const auto source =
        open_frames(options.scene, options.settings, [&](std::int64_t frame) { teller.simulated(frame); });
    plan = plan_pictures(*source, options);
    settle_view(*source, options, plan);
    done = draw_all(*source, plan, teller);
  } catch (const Interrupted&) {
  } catch (const NumericalFailure& failure) {
    teller.finish_line();
    fmt::print(stderr,
               "numerical failure: {}\n  pictures drawn so far are kept; try a smaller step, softer "
               "parameters or an implicit integrator\n",
               failure.what());
    return kNumericalFailure;
  }
  const bool complete = !plan.frames.empty() && done == plan.frames.size();
  teller.ended(plan, done, complete ? "finished" : "interrupted");
  return complete ? kDone : kInterrupted;
}

}  // namespace selkie::cli
