import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Triple = [number, number, number];

const TOKENS = readFileSync(join(import.meta.dirname, '../design/tokens.css'), 'utf8');
const NAMES = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'line-strong'];
/** Colour transformations for normal vision, and for each kind of colour blindness. */
const EYES: Readonly<Record<string, readonly Triple[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152, 1.053, -0.205],
    [0.115, 0.786, 0.099],
    [-0.004, -0.048, 1.052],
  ],
  deutan: [
    [0.367, 0.861, -0.228],
    [0.28, 0.673, 0.047],
    [-0.012, 0.043, 0.969],
  ],
  tritan: [
    [1.256, -0.077, -0.179],
    [-0.078, 0.931, 0.148],
    [0.005, 0.691, 0.304],
  ],
};
/** Minimum distance between two colours; far more than the just noticeable difference of about 0.02. */
const CLEAR = 0.15;

test.each(['light', 'dark'])(
  'the parts of a %s chart are distinguishable for everyone',
  (theme) => {
    const colours = NAMES.map((name) => colourOf(theme, name));
    for (const [eyes, matrix] of Object.entries(EYES)) {
      const seen = colours.map((colour) => perceived(times(matrix, colour)));
      for (const [place, one] of seen.entries()) {
        for (const [other, another] of seen.slice(0, place).entries()) {
          const names = `${NAMES[place]} and ${NAMES[other]}, ${eyes}`;
          expect(distance(one, another), names).toBeGreaterThan(CLEAR);
        }
      }
    }
  },
);

/** Returns a colour in linear RGB. */
function colourOf(theme: string, name: string): Triple {
  const [, rules = ''] = TOKENS.split(`[data-theme="${theme}"]`);
  const digits = new RegExp(`--${name}: #(..)(..)(..);`).exec(rules)?.slice(1) ?? [];
  const light = (digit: string) => ((Number.parseInt(digit, 16) / 255 + 0.055) / 1.055) ** 2.4;
  return digits.map(light) as Triple;
}

/** Converts to the colour space Oklab, in which distances match perception. */
function perceived(light: Triple): Triple {
  const cones = times(
    [
      [0.4122, 0.5363, 0.0514],
      [0.2119, 0.6807, 0.1074],
      [0.0883, 0.2817, 0.63],
    ],
    light.map((part) => Math.min(1, Math.max(0, part))) as Triple,
  ).map(Math.cbrt) as Triple;
  return times(
    [
      [0.2105, 0.7936, -0.0041],
      [1.978, -2.4286, 0.4506],
      [0.0259, 0.7828, -0.8087],
    ],
    cones,
  );
}

function times(matrix: readonly Triple[], [x, y, z]: Triple): Triple {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as Triple;
}

function distance(one: Triple, other: Triple): number {
  return Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)));
}
