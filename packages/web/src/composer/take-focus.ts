/** Gives a field the focus, unless somebody is busy elsewhere: a menu that they opened would close under their hand. */
export function takeFocus(field: HTMLTextAreaElement): void {
  const busy = document.activeElement;
  const isFree = busy === null || busy === document.body || field.form?.contains(busy);
  if (isFree) field.focus();
}
