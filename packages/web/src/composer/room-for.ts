/** Space between a list and what it is for, and between it and the edge of the page. */
const GAP = 4;

/** On which side of a field a list opens, and how high it may be there: above, unless there is too little room. */
export function roomFor(
  height: number,
  room: { above: number; below: number },
): { side: 'above' | 'below'; most: number } {
  const side = room.above - 2 * GAP >= height || room.above >= room.below ? 'above' : 'below';
  return { side, most: Math.max(0, Math.min(height, room[side] - 2 * GAP)) };
}
