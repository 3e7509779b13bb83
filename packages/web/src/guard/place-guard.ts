/** A control that appeared, or moved under the pointer, takes no press for this long. */
export const STABLE_AFTER_MS = 400;

export type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;
export type Point = { x: number; y: number };

/** Tells whether a control has been in its place long enough that a press on it is meant for it. */
export class PlaceGuard {
  readonly #now: () => number;
  #cameAt: number;
  #box: Box | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#cameAt = now();
  }

  /** Call with the present place of the control and the last one of the pointer, often and before every press. */
  update(box: Box, pointer: Point | undefined): void {
    const before = this.#box;
    this.#box = box;
    if (!before || !pointer) return;
    if (contains(box, pointer) && !contains(before, pointer)) this.#cameAt = this.#now();
  }

  isStable(): boolean {
    return this.#now() - this.#cameAt >= STABLE_AFTER_MS;
  }
}

function contains({ left, top, right, bottom }: Box, { x, y }: Point): boolean {
  return left <= x && x <= right && top <= y && y <= bottom;
}
