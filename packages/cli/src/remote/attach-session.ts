import type { BatonClient, FollowOptions } from '@baton/client';
import type { SessionRecord, TaskStatus } from '@baton/protocol';
import { drained } from '../terminal/drained.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { safe, style } from '../view/style.ts';
import { wrapForTerminal } from '../view/word-wrap.ts';
import { shortId } from './find-one.ts';
import { SessionScreen } from './session-screen.ts';

const out = process.stdout;
const ACTIVE: TaskStatus[] = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];
const LEAVING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

type AttachOptions = {
  /** Number of earlier entries to show. */
  last: number;
  verbose: boolean;
};

/** Shows a session live on a terminal until the user detaches; its task keeps running. */
export async function attachSession(
  client: BatonClient,
  session: SessionRecord,
  { last, verbose }: AttachOptions,
): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  const keyboard = process.stdin.isTTY ? new Keyboard() : undefined;
  const screen = new SessionScreen({ client, session, verbose, keyboard, leave });
  for (const signal of LEAVING) process.on(signal, leave);
  keyboard?.open();
  out.write(style(out, 'dim', headText(session)));
  try {
    await watch(client, session.session_id, { last, screen, signal: left.signal });
  } finally {
    screen.view.pause();
    keyboard?.close();
    for (const signal of LEAVING) process.off(signal, leave);
  }
  out.write(farewell(session, screen.running));
}

/** Returns the cursor at which the last entries of a session begin, and its current cursor. */
export async function placeOf(
  client: BatonClient,
  session_id: string,
  last: number,
): Promise<{ after: number; now: number }> {
  const { data, cursor } = await client.messages.find({ session_id, limit: Math.max(last, 1) });
  const first = last === 0 ? undefined : data[0];
  return { after: first ? first.index - 1 : cursor, now: cursor };
}

type Watched = { last: number; screen: SessionScreen; signal: AbortSignal };

async function watch(
  client: BatonClient,
  sessionId: string,
  { last, screen, signal }: Watched,
): Promise<void> {
  const { after, now } = await placeOf(client, sessionId, last);
  const { promise: left, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve());
  let isPast = after < now;
  if (!isPast) await beginWith(client, sessionId, screen);
  const onConnection: FollowOptions['onConnection'] = (state) =>
    screen.sayAtOnce(
      state === 'lost' ? '! Lost connection to the daemon. Reconnecting…' : '! Reconnected.',
    );
  for await (const event of client.follow(sessionId, { after, signal, onConnection })) {
    screen.show(event, isPast);
    if (isPast && event.cursor >= now) {
      isPast = false;
      await beginWith(client, sessionId, screen);
    }
    await drained(out, left);
  }
}

/** Shows the running tasks and asks the pending requests. */
async function beginWith(
  client: BatonClient,
  session_id: string,
  screen: SessionScreen,
): Promise<void> {
  const { data: active } = await client.tasks.find({ session_id, status: ACTIVE });
  for (const { task_id } of active) screen.begin(task_id);
  const { data: waiting } = await client.permissions.find({ session_id });
  for (const request of waiting) screen.ask(request);
}

function headText({ session_id, title, cwd }: SessionRecord): string {
  const name = title === '' ? '' : ` "${title}"`;
  return `${wrapForTerminal(out, safe(`Session ${shortId(session_id)}${name} in ${cwd}. Ctrl-C detaches.`))}\n`;
}

function farewell({ session_id }: SessionRecord, running: readonly string[]): string {
  const [task] = running;
  if (task === undefined) return 'Detached.\n';
  const back = `"baton attach ${shortId(session_id)}" reattaches`;
  const words = `Detached; the task keeps running. ${back}, "baton stop ${shortId(task)}" stops it.`;
  return `${wrapForTerminal(out, words)}\n`;
}
