import type { PermissionRequest, QuestionRequest } from '@baton/protocol';

type Place = { session_id: string; task_id: string; request_id: string };

/** What an agent asks of a person, with what an answer needs. */
export type AskedPermission = Place & { kind: 'permission'; request: PermissionRequest };
export type AskedQuestion = Place & { kind: 'question'; request: QuestionRequest };
export type Asked = AskedPermission | AskedQuestion;

/** Reads a record of the service `permissions`. */
export function askedOf(record: Place & { kind: string; request: unknown }): Asked {
  const { session_id, task_id, request_id, kind, request } = record;
  return { session_id, task_id, request_id, kind, request } as Asked;
}
