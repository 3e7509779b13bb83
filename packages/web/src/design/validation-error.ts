/** The validation error of a field as text. */
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
export function validationError(field: Checked): string | undefined {
  const { validity, min, max, minLength, title, type } = field;
  if (validity.valid) return undefined;
  if (validity.customError) return field.validationMessage;
  if (validity.badInput) return 'Must be a number.';
  if (validity.valueMissing) return 'Required.';
  if (validity.tooShort) return `Must be at least ${minLength} characters.`;
  if (validity.rangeUnderflow) return `Must be at least ${min}.`;
  if (validity.rangeOverflow) return `Must be at most ${max}.`;
  if (validity.stepMismatch) return 'Must be a whole number.';
  if (validity.typeMismatch && type === 'url') {
    return 'Enter a URL starting with https:// or http://.';
  }
  return title || field.validationMessage;
}

/** Says that an amount is not more than it has to be; browsers only know what it has to be at least. */
export function unlessAbove(
  above: number | undefined,
  amount: number | undefined,
): string | undefined {
  if (above === undefined || amount === undefined || amount > above) return undefined;
  return `Must be greater than ${above}.`;
}
