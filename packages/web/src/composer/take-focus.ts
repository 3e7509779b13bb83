/** Has the focus without being in use: the page, the link that led here, the transcript, and a request. */
const UNUSED = 'body, a[aria-current=page], [role=log], [data-request], [data-request] *';

/**
 * Focuses a field, unless another control is in use: an open menu would close. Returns whether the field got the focus
 * by this.
 */
export function takeFocus(field: HTMLTextAreaElement): boolean {
  const active = document.activeElement;
  if (active === field) return false;
  const isUnused = active === null || active.matches(UNUSED) || field.form?.contains(active);
  if (isUnused) field.focus();
  return document.activeElement === field;
}
