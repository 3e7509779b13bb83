const RIGHT_TO_LEFT =
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The direction of a text by its first strong letter; for text where `dir="auto"` is slow. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr';
}
