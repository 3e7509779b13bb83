import { expect, test } from 'vitest';
import { placePopover } from './popover-placement.ts';

test('a list opens above if it fits, else where there is more space, and never exceeds it', () => {
  expect(placePopover(200, { above: 300, below: 600 })).toEqual({ side: 'above', maxHeight: 200 });
  expect(placePopover(200, { above: 150, below: 600 })).toEqual({ side: 'below', maxHeight: 200 });
  expect(placePopover(200, { above: 150, below: 100 })).toEqual({ side: 'above', maxHeight: 142 });
  expect(placePopover(200, { above: 0, below: 0 })).toEqual({ side: 'above', maxHeight: 0 });
});
