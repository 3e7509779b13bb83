import type { Question } from './permission.ts';

/** Parses a typed answer to a question: option numbers, or free text; undefined if it is neither. */
export function answerFromText(question: Question, text: string): string[] | undefined {
  if (text === '') return undefined;
  const chosen = text.split(',').map((part) => question.options[Number(part.trim()) - 1]?.label);
  if (chosen.every((label) => label !== undefined)) {
    return question.multiple ? chosen : chosen.slice(0, 1);
  }
  return takesOwnWords(question) ? [text] : undefined;
}

/** True if a question accepts free text. */
export function takesOwnWords({
  freeText,
  options,
}: Pick<Question, 'freeText' | 'options'>): boolean {
  return freeText === true || options.length === 0;
}
