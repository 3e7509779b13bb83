import type { Json } from '@baton/config/values/json';
import { DialectStage } from '../../../dialects/codex-jsonl/testing/dialect-stage.ts';
import { AppServerDialect, type AppServerOptions } from '../app-server-dialect.ts';

const OPTIONS: AppServerOptions = {
  cwd: '/w',
  thread: { method: 'thread/start', params: { cwd: '/w' } },
  turn: { sandboxPolicy: { type: 'dangerFullAccess' } },
};
/** Messages that lead to a running turn. */
export const PROMPT = { text: 'Go.', images: [] };
export const HELLO = { id: 1, result: { userAgent: 'baton/0.166.0 (Linux)' } };
export const THREAD = { id: 2, result: { thread: { id: 'main' }, model: 'gpt' } };
export const TURN_STARTED = told('turn/started', { turn: { id: 'turn' } });

/** A notification about the thread of the run. */
export function told(method: string, params: Json): Json {
  return { method, params: { threadId: 'main', ...params } };
}

/** The end of its turn. */
export function ended(status: string, error?: Json): Json {
  return told('turn/completed', { turn: { id: 'turn', status, error } });
}

/** An item of its turn. */
export function item(stage: 'started' | 'completed', fields: Json, place: Json = {}): Json {
  return told(`item/${stage}`, { turnId: 'turn', item: fields, ...place });
}

/** An app server that was greeted and has not answered yet. */
export function opened(options: Partial<AppServerOptions> = {}): DialectStage {
  const stage = new DialectStage((out) => new AppServerDialect(out, { ...OPTIONS, ...options }));
  stage.dialect.open?.();
  return stage;
}

/** An app server in the middle of a turn, with nothing said yet. */
export function running(): DialectStage {
  const stage = opened().say(HELLO, THREAD);
  stage.dialect.prompt?.(PROMPT);
  stage.say(TURN_STARTED);
  stage.sent();
  return stage;
}
