/** Names a request: agents count theirs anew in every task. */
export function requestKey({
  task_id,
  request_id,
}: {
  task_id: string;
  request_id: string;
}): string {
  return `${task_id} ${request_id}`;
}
