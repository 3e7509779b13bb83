/** What is wrong with a field, as far as it matters to say it in words. */
export type Checked = {
  validity: Partial<ValidityState>;
  validationMessage: string;
  title?: string;
  min?: string;
  max?: string;
  minLength?: number;
  type?: string;
};

/** Says what is wrong with a field; nothing when it is right. */
export function mistakeIn(field: Checked): string | undefined {
  const { validity, min, max, minLength, title, type } = field;
  if (validity.valid) return undefined;
  if (validity.customError) return field.validationMessage;
  if (validity.badInput) return 'This is not a number.';
  if (validity.valueMissing) return 'This has to be filled in.';
  if (validity.tooShort) return `At least ${minLength} characters.`;
  if (validity.rangeUnderflow) return `At least ${min}.`;
  if (validity.rangeOverflow) return `At most ${max}.`;
  if (validity.stepMismatch) return 'A whole number.';
  if (validity.typeMismatch && type === 'url') {
    return 'This is not an address. It begins with https:// or http://.';
  }
  return title || field.validationMessage;
}

/** Says that an amount is not more than it has to be; browsers only know what it has to be at least. */
export function unlessAbove(
  above: number | undefined,
  amount: number | undefined,
): string | undefined {
  if (above === undefined || amount === undefined || amount > above) return undefined;
  return `More than ${above}.`;
}
