import { beginningOf, type TaskRecord } from '@baton/protocol';

/** The beginning of a prompt, which says when there is more of it. */
export function promptWords({
  description,
  full_prompt,
}: Pick<TaskRecord, 'description' | 'full_prompt'>): string {
  if (description.trim() === '') return 'Empty prompt';
  if (full_prompt.trimEnd().length <= description.length) return description;
  return `${beginningOf(description, description.length).trimEnd()}…`;
}
