import { resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { type BatonClient, RemoteHost, type RemoteRun } from '@baton/client';
import { checkNames } from '@baton/engine/options/check-options';
import { BatonError, type HostRequest, type RunRequest } from '@baton/protocol/values';
import type { Command, Parsed } from '../arguments/command.ts';
import { textOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseWorkspace, type PlaceOptions } from '../run/choose-workspace.ts';
import { type Shown, showRun } from '../run/show-run.ts';
import { workspaceWords } from '../run/workspace-words.ts';
import { askTrust } from '../terminal/ask-trust.ts';
import { quoted } from '../view/launch-line.ts';
import { AUTO, daemonAddress, remoteSettings } from './address.ts';
import { findOne, shortId } from './find-one.ts';
import { shortRequest } from './inbox.ts';
import { leaveOnInterrupts } from './leave-on-interrupts.ts';
import { stopWords } from './stop-words.ts';
import { withDaemon } from './with-daemon.ts';

const LOOPBACK = /^https?:\/\/(127\.|localhost\b|\[::1\])/;

type Request = RunRequest & Pick<HostRequest, 'workspace'> & { backend: string };

/** Refuses what is not the address of a daemon. */
export function checkAddress(command: Command, parsed: Parsed): void {
  daemonAddress(remoteSettings(command, parsed), parsed);
}

/** Runs a prompt through a daemon, in a new session or in one that is there, and shows it like any other run. */
export function runRemotely(
  command: Command,
  parsed: Parsed,
  baton: Baton,
  request: Request,
  shown: Shown,
): Promise<number> {
  const { workspace: _workspace, ...options } = request;
  checkNames(options);
  return withDaemon(command, parsed, async (client) => {
    const host = new RemoteHost(client);
    const named = textOf(parsed, 'session');
    const session =
      named === undefined ? undefined : (await findOne(client, named, ['session'])).id;
    const isNamed = textOf(parsed, 'backend') !== undefined;
    const { backend, cwd = '.', ...rest } = request;
    if (session !== undefined && textOf(parsed, 'cwd') !== undefined) {
      throw new BatonError(
        'usage',
        '--cwd and --session cannot be combined: a session already has a folder.',
      );
    }
    if (session !== undefined && request.workspace?.kind === 'worktree') {
      throw new BatonError(
        'usage',
        '--worktree and --session cannot be combined: a session already has a folder.',
      );
    }
    const before = session === undefined ? undefined : await client.sessions.get(session);
    const { backend: agent, cwd: folder } = before ?? { backend, cwd: resolve(cwd) };
    const name = isNamed ? backend : agent;
    await host.check({ backend: name, cwd: folder });
    const label = baton.registry.find(name)?.label ?? name;
    const asked = { backend: name, label, cwd: folder };
    if (shown.atTerminal && (await askTrust(host, asked)) === 'interrupted') {
      return EXIT.interrupted;
    }
    let { tell } = shown;
    const workspace =
      session === undefined
        ? await chooseWorkspace(request.workspace, {
            ...{ cwd, atTerminal: shown.atTerminal, countIn: sessionsAt(client) },
            warn: (text) => shown.tell(`warning: ${text}`),
          })
        : undefined;
    if (workspace === 'interrupted') return EXIT.interrupted;
    const { run } = await host.launch({
      ...{ ...rest, workspace },
      onWorkspace: shown.json ? undefined : workspaceWords((line) => tell(line)),
      cwd: resolve(cwd),
      // A session keeps its agent unless another one is given.
      backend: session === undefined || isNamed ? backend : agent,
      session,
      onConnection: (state) =>
        tell(state === 'lost' ? 'Lost connection to the daemon. Reconnecting…' : 'Reconnected.'),
    });
    leaveOnInterrupts(run, shown.tell);
    if (!shown.json) shown.tell(placeOf(run));
    if (before?.queue_paused) shown.tell(pausedNotice(before.session_id));
    const { permission_mode: permissionMode } = run.task;
    const code = await showRun(run, {
      ...shown,
      permissionMode,
      continueWith: continueCommand(parsed, run),
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

/** Counts sessions in a folder of another machine by its daemon; those of this machine are in files, which cost less. */
function sessionsAt(client: BatonClient): PlaceOptions['countIn'] {
  if (LOOPBACK.test(client.connection.url)) return undefined;
  return async (folder) => (await client.workspaces.inspect(folder)).busy.length;
}

/** A prompt behind others on a paused queue waits for a person: without a word that would look like a hang. */
function pausedNotice(sessionId: string): string {
  return `The session's queue is paused. Resume it with "baton queue resume ${shortId(sessionId)}".`;
}

function placeOf({ task }: RemoteRun): string {
  const id = shortId(task.session_id);
  return `Session ${id}. Watch it with "baton attach ${id}"; answer requests with "baton answer".`;
}

/** No one is here to ask, but another user may answer. */
function waitsFor({ runId: task_id }: RemoteRun, request_id: string): string {
  return `Needs input: "baton answer ${shortRequest({ task_id, request_id })}".`;
}

/** The command that continues the session of a run. */
function continueCommand(parsed: Parsed, { task }: RemoteRun): string {
  const url = textOf(parsed, 'daemon');
  const where = url === undefined || url === AUTO ? '' : ` --daemon ${quoted(url)}`;
  return `baton run${where} --session ${shortId(task.session_id)} "…"`;
}
