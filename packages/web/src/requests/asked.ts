import type { PermissionRequest, QuestionRequest } from '@baton/protocol';

type Place = { session_id: string; task_id: string; request_id: string };

/** A request of an agent, with everything an answer needs. */
export type AskedPermission = Place & { kind: 'permission'; request: PermissionRequest };
export type AskedQuestion = Place & { kind: 'question'; request: QuestionRequest };
export type Asked = AskedPermission | AskedQuestion;
