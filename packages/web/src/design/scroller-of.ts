/** The element that scrolls another one; null for the page. */
export function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let each = element.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return null;
}
