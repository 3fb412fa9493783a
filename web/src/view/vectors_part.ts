// A part that is itself a set of arrows, such as contacts.
import { Box3 } from "three";
import type { Part, VectorsPart as VectorsData } from "../protocol";
import { Arrows } from "./arrows";
import { linearColour } from "./look";
import type { PartView, Surroundings } from "./part_view";

export class VectorsPart implements PartView {
  readonly object;
  readonly bounds = new Box3();
  readonly name: string;
  readonly system: string;
  readonly backdrop = true; // arrows do not decide what a camera should show
  private readonly arrows: Arrows;

  constructor(
    part: VectorsData,
    private readonly surroundings: Surroundings,
  ) {
    this.name = part.name;
    this.system = part.system;
    this.arrows = new Arrows(linearColour(part.colour));
    this.object = this.arrows.object;
  }

  update(part: Part): void {
    if (part.kind === "vectors") this.arrows.update(part.positions, part.values, 0.08 * this.surroundings.sceneSize());
  }

  setWire(): void {}

  pick(): null {
    return null;
  }

  dispose(): void {
    this.arrows.dispose();
  }
}
