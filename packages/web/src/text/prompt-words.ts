import type { TaskRecord } from '@baton/protocol';

/** The beginning of a prompt, which says when there is more of it. */
export function promptWords({
  description,
  full_prompt,
}: Pick<TaskRecord, 'description' | 'full_prompt'>): string {
  if (description.trim() === '') return 'Empty prompt';
  if (full_prompt.trimEnd().length <= description.length) return description;
  // Half of a character is none.
  return `${description.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}
