/**
 * The value of an option that only the agent knows: an object, a list, true, false or a number when it is written as
 * JSON writes it, else a text. Quotes make a text of anything.
 */
export function optionValue(text: string): unknown {
  if (text === 'true' || text === 'false' || /^[{["]/.test(text)) return jsonOr(text);
  // Only a number that is written the same again: an id with many digits must not lose some.
  const number = Number(text);
  return String(number) === text && Number.isFinite(number) ? number : text;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
