import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { ROLES } from '@baton/protocol/wire';
import { localOperations, WorkspaceHome } from '@baton/workspaces';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChainKeeper } from '../chains/chain-keeper.ts';
import { ChangeNotifications } from '../feed/change-notifications.ts';
import { Feed } from '../feed/feed.ts';
import { SealedBox } from '../security/sealed-box.ts';
import { allServices } from '../services/all-services.ts';
import { type Daemon, startDaemon } from '../start-daemon.ts';
import { expiredToken } from '../testing/expired-token.ts';
import { WorkspaceScriptRuns } from '../workspaces/workspace-scripts.ts';
import { addUser } from './add-user.ts';
import { Authenticator } from './authenticate.ts';
import { giveToken } from './give-token.ts';
import type { Audience } from './principal.ts';

const baton = await createBaton({ settings: 'none' });

/** Whom each method is for, written down once more: a change must be made in two places. */
const EXPECTED: Readonly<Record<string, readonly Audience[]>> = {
  'agent-mcp-servers.check': ['member'],
  'agent-mcp-servers.copy': ['owner'],
  'agent-mcp-servers.create': ['owner'],
  'agent-mcp-servers.find': ['member'],
  'agent-mcp-servers.removeServer': ['owner'],
  'api-keys.create': ['member'],
  'api-keys.find': ['viewer'],
  'api-keys.remove': ['member'],
  'attachments.create': ['member'],
  'attachments.find': ['viewer'],
  'attachments.get': ['viewer', 'executor'],
  'attachments.remove': ['member'],
  'authentication.create': ['anyone'],
  'authentication.remove': ['viewer'],
  'backends.find': ['viewer'],
  'backends.get': ['viewer'],
  'backends.patch': ['owner'],
  'backends.test': ['member'],
  'daemons.find': ['viewer'],
  'events.find': ['viewer', 'executor'],
  'executors.agentStarting': ['executor'],
  'executors.create': ['executor', 'member'],
  'executors.find': ['viewer'],
  'executors.giveBack': ['executor'],
  'executors.heartbeat': ['executor'],
  'executors.next': ['executor'],
  'executors.renewToken': ['executor', 'expired executor'],
  'executors.transcript': ['executor'],
  'changes.find': ['viewer'],
  'changes.overlaps': ['viewer'],
  'changes.report': ['executor'],
  'changes.wait': ['executor'],
  'changes.answer': ['executor'],
  'changes.diff': ['viewer'],
  'changes.content': ['viewer'],
  'checkpoints.find': ['viewer'],
  'checkpoints.undo': ['member'],
  'files.find': ['member'],
  'finish.carryOut': ['member'],
  'finish.plan': ['viewer'],
  'folders.create': ['member'],
  'folders.find': ['member'],
  'ids.find': ['viewer'],
  'imports.create': ['owner'],
  'mcp-servers.create': ['owner'],
  'mcp-servers.find': ['viewer'],
  'mcp-servers.get': ['viewer'],
  'mcp-servers.patch': ['owner'],
  'mcp-servers.remove': ['owner'],
  'messages.append': ['executor'],
  'messages.create': ['executor'],
  'messages.find': ['viewer'],
  'messages.get': ['viewer'],
  'messages.patch': ['member'],
  'messages.streamChunk': ['executor'],
  'messages.subscribe': ['viewer', 'executor'],
  'chain-runs.answer': ['member'],
  'chain-runs.create': ['member'],
  'chain-runs.events': ['viewer'],
  'chain-runs.find': ['viewer'],
  'chain-runs.get': ['viewer'],
  'chain-runs.resume': ['member'],
  'chain-runs.stop': ['member'],
  'chains.find': ['viewer'],
  'chains.trust': ['member'],
  'news.find': ['viewer'],
  'permissions.answer': ['member'],
  'permissions.find': ['viewer'],
  'review-comments.create': ['member'],
  'review-comments.find': ['viewer'],
  'review-comments.patch': ['member'],
  'review-comments.remove': ['member'],
  'review-comments.send': ['member'],
  'rules.create': ['member'],
  'rules.find': ['viewer'],
  'rules.remove': ['member'],
  'sessions.clearQueue': ['member'],
  'sessions.create': ['member'],
  'sessions.executeTask': ['member'],
  'sessions.find': ['viewer'],
  'sessions.fork': ['member'],
  'sessions.get': ['viewer', 'executor'],
  'sessions.patch': ['member'],
  'sessions.resumeQueue': ['member'],
  'sessions.retryTask': ['member'],
  'sessions.steerTask': ['member'],
  'sessions.widenTask': ['member'],
  'sessions.stopTask': ['member'],
  'status.find': ['viewer'],
  'tasks.appendRaw': ['executor'],
  'settings.find': ['viewer'],
  'settings.get': ['viewer'],
  'settings.patch': ['owner'],
  'tasks.find': ['viewer'],
  'tasks.get': ['viewer', 'executor'],
  'tasks.patch': ['member', 'executor'],
  'tasks.rawOutput': ['viewer'],
  'tokens.create': ['viewer'],
  'tokens.find': ['viewer'],
  'tokens.remove': ['viewer'],
  'workspaces.find': ['viewer'],
  'workspaces.inspect': ['member'],
  'workspaces.removeWorktree': ['member'],
  'workspaces.restore': ['member'],
  'workspaces.scripts': ['viewer'],
  'workspaces.startScript': ['member'],
  'workspaces.stopScript': ['member'],
  'transcript.changes': ['viewer'],
  'transcript.find': ['viewer'],
  'trusted-folders.check': ['member'],
  'trusted-folders.create': ['member'],
  'trusted-folders.find': ['viewer'],
  'trusted-folders.forget': ['member'],
  'usage.find': ['viewer'],
  'users.create': ['owner'],
  'users.createLink': ['owner'],
  'users.find': ['viewer'],
  'users.get': ['viewer'],
  'users.patch': ['viewer'],
};

const HTTP: Readonly<Record<string, readonly [verb: string, path: string]>> = {
  find: ['GET', ''],
  get: ['GET', '/x'],
  create: ['POST', ''],
  patch: ['PATCH', '/x'],
  remove: ['DELETE', '/x'],
};

let folder: string;
let daemon: Daemon;
const userIds = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-matrix-'));
  daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  for (const role of ROLES) {
    const { user_id } = await addUser(daemon.store, { name: `a ${role}`, role });
    userIds.set(role, user_id);
  }
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true });
});

/** A new one each time, because one of the methods makes it useless. */
async function tokenOf(who: string): Promise<string> {
  if (who === 'expired executor') return expiredToken(daemon, folder);
  if (who === 'executor') {
    return daemon.taskTokens.sign({ sessionId: 's', taskId: 't', executorId: 'e', fence: 1 });
  }
  const role = ROLES.find((each) => each === who);
  const userId = userIds.get(who);
  if (!role || !userId) return '';
  const token = { userId, name: 't', kind: 'api' as const, role };
  return (await giveToken(daemon.store, token)).secret;
}

/** Calls a method with empty input: an authorized caller gets a validation error or an answer. */
async function statusFor(who: string, method: string): Promise<number> {
  const [service = '', name = ''] = method.split('.');
  const [verb, path] = HTTP[name] ?? ['POST', ''];
  const token = await tokenOf(who);
  const response = await fetch(`${daemon.url}/${service}${path}`, {
    method: verb,
    headers: {
      'Content-Type': 'application/json',
      ...(HTTP[name] ? {} : { 'X-Service-Method': name }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    ...(verb === 'GET' || verb === 'DELETE' ? {} : { body: '{}' }),
  });
  await response.text();
  return response.status;
}

const CALLERS = ['nobody', 'executor', 'expired executor', ...ROLES];

function mayCall(who: string, audiences: readonly Audience[]): boolean {
  const ranks: readonly string[] = ROLES;
  return audiences.some(
    (audience) =>
      audience === 'anyone' ||
      audience === who ||
      (ranks.includes(who) &&
        ranks.includes(audience) &&
        ranks.indexOf(who) >= ranks.indexOf(audience)),
  );
}

test('every method of every service is in the table, and nothing else', () => {
  const { store, taskTokens } = daemon;
  const log = pino({ level: 'silent' });
  const feed = new Feed(store);
  const home = new WorkspaceHome();
  const keeper = {
    baton,
    store,
    feed,
    workspaces: home,
    log,
    leaseMs: 1000,
    runsTasks: false,
    startWaiting: async () => {},
  };
  const services = allServices({
    chains: new ChainKeeper(keeper).engine,
    baton,
    daemonId: 'd',
    folder,
    store,
    workspaces: home,
    operations: async () => localOperations(home),
    scriptRuns: new WorkspaceScriptRuns(home, log),
    feed,
    changeNotifications: new ChangeNotifications(store),
    taskTokens,
    box: new SealedBox(Buffer.alloc(32)),
    log,
    runsTasks: false,
    leaseMs: 1000,
    startWaiting: async () => {},
    lookAtRequests: async () => {},
    waitForTask: async () => 'none',
    giveBack: async () => {},
    shortage: () => undefined,
    confirmStop: () => {},
    authenticator: new Authenticator(store, taskTokens),
    subscribe: async () => {},
    showToken: async () => {},
  });
  const methods = services.flatMap(({ path, methods }) =>
    Object.keys(methods).map((name) => `${path}.${name}`),
  );
  expect(methods.sort()).toEqual(Object.keys(EXPECTED).sort());
});

describe.each(Object.entries(EXPECTED))('%s', (method, audiences) => {
  test.each(CALLERS)('called by %s', async (who) => {
    const status = await statusFor(who, method);
    if (mayCall(who, audiences)) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(who === 'nobody' || who === 'expired executor' ? 401 : 403);
  });
});
