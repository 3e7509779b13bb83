/** Splits output that comes in chunks; `onField` is called with each field that a NUL ends, without it. */
export function splitAtNul(onField: (field: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let to = data.indexOf(0); to >= 0; from = to + 1, to = data.indexOf(0, from)) {
      onField(data.subarray(from, to));
    }
    rest = data.subarray(from);
  };
}
