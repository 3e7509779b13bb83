const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A count with separators. */
export function count(value: number): string {
  return whole.format(value);
}

/** A large count in few characters: 12.3K. */
export function compact(value: number): string {
  return short.format(value);
}

/** Money in dollars, with a mark for an estimate. */
export function cost(dollars: number, { isEstimated = false } = {}): string {
  if (dollars === 0) return '$0';
  if (dollars < 0.01) return isEstimated ? '<$0.01 est.' : '<$0.01';
  return `${isEstimated ? '~' : ''}$${dollars.toFixed(2)}`;
}

/** Explanation of the mark for an estimated cost. */
export const ESTIMATE_WORDS = 'Estimated from tokens and list prices';

/** Formats bytes in a suitable unit. */
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 ** 2) return `${tenths(value / 1024)} KB`;
  return `${tenths(value / 1024 ** 2)} MB`;
}

/** A noun with its number: 1 file, 2 files. */
export function some(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** Converts an amount to a smaller unit, as a whole number. */
export function inSmaller(amount: number, scale: number): number {
  return scale === 1 ? amount : Math.round(amount * scale);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
