/** Space between the popover and its field, and between it and the edge of the page. */
const GAP = 4;

/** The side of a field on which a popover opens, and its maximum height: above, unless there is too little room. */
export function placePopover(
  height: number,
  room: { above: number; below: number },
): { side: 'above' | 'below'; maxHeight: number } {
  const side = room.above - 2 * GAP >= height || room.above >= room.below ? 'above' : 'below';
  return { side, maxHeight: Math.max(0, Math.min(height, room[side] - 2 * GAP)) };
}
