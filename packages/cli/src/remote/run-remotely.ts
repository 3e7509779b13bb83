import { resolve } from 'node:path';
import type { BatonClient, RemoteRun } from '@baton/client';
import { BatonError, type RunRequest } from '@baton/protocol';
import { backendEntry } from '@baton/runtime';
import { askTrust } from '../ask-trust.ts';
import type { Command, Parsed } from '../command.ts';
import { textOf } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type Shown, showRun } from '../show-run.ts';
import { quoted } from '../view/launch.ts';
import { AUTO, daemonAddress, remoteSettings } from './address.ts';
import { checkInstalled } from './check-installed.ts';
import { findOne, shortId } from './find-one.ts';
import { shortRequest } from './inbox.ts';
import { leaveOnInterrupts } from './leave-on-interrupts.ts';
import { stopWords } from './stop-words.ts';
import { withDaemon } from './with-daemon.ts';

type Request = RunRequest & { backend: string };

/** Refuses what is not the address of a daemon. */
export function checkAddress(command: Command, parsed: Parsed): void {
  daemonAddress(remoteSettings(command, parsed), parsed);
}

/** Runs a prompt through a daemon, in a new session or in one that is there, and shows it like any other run. */
export function runRemotely(
  command: Command,
  parsed: Parsed,
  request: Request,
  shown: Shown,
): Promise<number> {
  return withDaemon(command, parsed, async (client) => {
    const named = textOf(parsed, 'session');
    const session =
      named === undefined ? undefined : (await findOne(client, named, ['session'])).id;
    const isNamed = textOf(parsed, 'backend') !== undefined;
    const { backend, cwd = '.', ...rest } = request;
    if (session !== undefined && textOf(parsed, 'cwd') !== undefined) {
      throw new BatonError(
        'usage',
        'A session has its folder already: --cwd and --session exclude each other.',
      );
    }
    const { backend: agent, cwd: folder } =
      session === undefined ? { backend, cwd: resolve(cwd) } : await client.sessions.get(session);
    const name = isNamed ? backend : agent;
    await checkInstalled(client, name, folder);
    if (shown.atTerminal && (await askTrustOf(client, name, folder)) === 'interrupted') {
      return EXIT.interrupted;
    }
    let { tell } = shown;
    const run = await client.launch({
      ...rest,
      cwd: resolve(cwd),
      // A session goes on with its own agent, unless another one was named.
      ...(session === undefined || isNamed ? { backend } : {}),
      batonSession: session,
      onLine: (state) =>
        tell(
          state === 'lost' ? 'The daemon does not answer; waiting for it.' : 'The daemon is back.',
        ),
    });
    leaveOnInterrupts(run, shown.tell);
    if (!shown.json) shown.tell(placeOf(run));
    if (session !== undefined && (await client.sessions.get(session)).queue_paused) {
      shown.tell(pausedNotice(session));
    }
    const { permission_mode: permissionMode } = run.task;
    const code = await showRun(run, {
      ...shown,
      permissionMode,
      goOn: goOnCommand(parsed, run),
      onReady: (better) => {
        tell = better;
      },
      onUnasked: (requestId) => shown.tell(waitsFor(run, requestId)),
    });
    const stopped = shown.json ? undefined : await stopWords(client, run);
    if (stopped !== undefined) shown.tell(stopped);
    return code;
  });
}

async function askTrustOf(client: BatonClient, backend: string, folder: string) {
  const trust = await client.trustedFolders.check({ folder, backend });
  const keep = (trusted: boolean) =>
    client.trustedFolders.create({ folder: trust.folder, trusted });
  return askTrust({ label: backendEntry(backend).label, trust, keep });
}

/** A prompt behind others on a paused queue waits for a person: without a word that would look like a hang. */
function pausedNotice(sessionId: string): string {
  return `The queue of the session is paused, so the prompt waits. Resume it with "baton queue resume ${shortId(sessionId)}".`;
}

function placeOf({ task }: RemoteRun): string {
  const id = shortId(task.session_id);
  return `Session ${id}: "baton attach ${id}" shows it too, "baton answer" answers what it asks.`;
}

/** Nobody is here to ask, but somebody elsewhere may have time. */
function waitsFor({ runId: task_id }: RemoteRun, request_id: string): string {
  return `It waits for "baton answer ${shortRequest({ task_id, request_id })}".`;
}

/** The command that goes on in the session of a run. */
function goOnCommand(parsed: Parsed, { task }: RemoteRun): string {
  const url = textOf(parsed, 'daemon');
  const where = url === undefined || url === AUTO ? '' : ` --daemon ${quoted(url)}`;
  return `baton run${where} --session ${shortId(task.session_id)} "…"`;
}
