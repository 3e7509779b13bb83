import type { BatonClient, FollowOptions } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { drained } from '../drained.ts';
import { Keyboard } from '../keyboard.ts';
import { fitted } from '../view/fitted.ts';
import { safe, style } from '../view/style.ts';
import { shortId } from './find-one.ts';
import { SessionScreen } from './session-screen.ts';

const out = process.stdout;
const ACTIVE = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];
const LEAVING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export type AttachOptions = {
  /** So many entries of what was before are shown. */
  last: number;
  verbose: boolean;
};

/** Shows a session as it goes on at a terminal, until the person leaves; what runs in it runs on. */
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

/** Where the last entries of a session begin, and where it is now. */
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
  const onLine: FollowOptions['onLine'] = (state) =>
    screen.sayAtOnce(
      state === 'lost' ? '! The daemon does not answer; waiting for it.' : '! The daemon is back.',
    );
  for await (const event of client.follow(sessionId, { after, signal, onLine })) {
    screen.show(event, isPast);
    if (isPast && event.cursor >= now) {
      isPast = false;
      await beginWith(client, sessionId, screen);
    }
    await drained(out, left);
  }
}

/** Begins with what is at work and waits for an answer already. */
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
  return `${fitted(out, safe(`Session ${shortId(session_id)}${name} in ${cwd}. Ctrl-C leaves it.`))}\n`;
}

function farewell({ session_id }: SessionRecord, running: readonly string[]): string {
  const [task] = running;
  if (task === undefined) return 'You have left the session.\n';
  const back = `"baton attach ${shortId(session_id)}" comes back`;
  const words = `You have left the session; its task runs on. ${back}, "baton stop ${shortId(task)}" stops it.`;
  return `${fitted(out, words)}\n`;
}
