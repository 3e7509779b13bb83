const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** A program with all other characters escaped: ASCII takes V8 half the memory, and no time to decode. */
export function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The mappings of a source map for the same program in ASCII, in which columns behind an escape are further right. */
export function mapInAscii(code: string, mappings: string): string {
  const lines = code.split('\n');
  return mappings
    .split(';')
    .map((segments, index) => (segments ? shiftColumns(segments, lines[index] ?? '') : ''))
    .join(';');
}

/** Every segment begins with its distance from the one before it; the rest is about the source. */
function shiftColumns(segments: string, line: string): string {
  let column = 0;
  return segments
    .split(',')
    .map((segment) => {
      const { value: step, length } = readVlq(segment);
      const escapes = inAscii(line.slice(column, column + step)).length - step;
      column += step;
      return writeVlq(step + escapes) + segment.slice(length);
    })
    .join(',');
}

/** Reads the first number of a segment: digits of five bits, the lowest first; the lowest bit of all is the sign. */
function readVlq(text: string): { value: number; length: number } {
  let bits = 0;
  let length = 0;
  for (let digit = 32; digit & 32; length += 1) {
    digit = BASE64.indexOf(text[length] ?? 'A');
    bits |= (digit & 31) << (5 * length);
  }
  return { value: bits & 1 ? -(bits >> 1) : bits >> 1, length };
}

function writeVlq(value: number): string {
  let bits = value * 2;
  let text = '';
  do {
    const digit = bits & 31;
    bits >>= 5;
    text += BASE64[bits > 0 ? digit | 32 : digit];
  } while (bits > 0);
  return text;
}
