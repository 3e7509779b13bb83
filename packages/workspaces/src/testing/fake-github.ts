import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A host that gh talks to without TLS, so that a proxy can take the place of it. */
const FAKE_HOST = 'github.localhost';
const OWN_PATH = 'ada/app.git';
const TOKEN = 'a-token-of-a-test';

type FakePull = {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  isDraft: boolean;
  labels: string[];
  reviewers: string[];
};

/** Troubles of a server, one for the next answer to a creation or for all answers. */
type Trouble = 'lost-answer' | 'no-labels' | 'rate-limit' | 'bad-token';

/**
 * A stand-in for GitHub: the parts of its API that `gh` uses for pull requests, and repositories that `git http-backend`
 * serves from a folder. Programs reach it as their proxy.
 */
export class FakeGitHub {
  readonly pulls: FakePull[] = [];
  /** Names of the calls of the API, in their order. */
  readonly calls: string[] = [];
  trouble: Trouble | undefined;
  /** The bare repository that is served. */
  readonly repository: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'baton-forge-'));
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  private constructor() {
    this.repository = join(this.#folder, OWN_PATH);
    execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', this.repository]);
    execFileSync('git', ['-C', this.repository, 'config', 'http.receivepack', 'true']);
  }

  /** Starts a server with an empty repository until the end of the test. */
  static async start(): Promise<FakeGitHub> {
    const made = new FakeGitHub();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    onTestFinished(() => made.stop());
    return made;
  }

  /** Makes this the remote of another repository, with its branch main. */
  serve(git: (...args: string[]) => unknown): void {
    git('config', 'http.proxy', this.proxy);
    git('remote', 'add', 'origin', `http://${FAKE_HOST}/${OWN_PATH}`);
    // Not through the server, which cannot answer while this process waits for git.
    git('push', '--quiet', this.repository, 'main');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Address of the server as a proxy. */
  get proxy(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Variables with which `gh` is signed in here. */
  get env() {
    return { HTTP_PROXY: this.proxy, GH_TOKEN: TOKEN, GH_CONFIG_DIR: `${this.#folder}/gh` };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    if (url.hostname === `api.${FAKE_HOST}`) return this.#api(request, response, url);
    this.#git(request, response, url);
  }

  async #api(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const body = JSON.parse((await text(request)) || '{}');
    const send = (status: number, answer: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    };
    if (this.trouble === 'rate-limit') {
      return send(403, { message: 'API rate limit exceeded for user ID 1.' });
    }
    const isSignedIn = request.headers.authorization === `token ${TOKEN}`;
    if (this.trouble === 'bad-token' || !isSignedIn)
      return send(401, { message: 'Bad credentials' });
    if (url.pathname !== '/graphql') return send(404, { message: 'Not Found' });
    const { query = '', variables } = body as Query;
    const name = /(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '';
    this.calls.push(name);
    const data = this.#graph(name, variables ?? {});
    if (name === 'PullRequestCreate' && this.trouble === 'lost-answer') {
      this.trouble = undefined;
      request.socket.destroy();
      return;
    }
    send(200, data ? { data } : { errors: [{ message: `The stand-in has no ${name}.` }] });
  }

  #graph(name: string, { input = {}, ...variables }: Variables): object | undefined {
    if (name === 'PullRequestList' || name === 'PullRequestForBranch') {
      const nodes = this.pulls.filter(({ head }) => head === variables.headBranch).map(shown);
      const pageInfo = { hasNextPage: false, endCursor: '' };
      const pullRequests = { totalCount: nodes.length, nodes, pageInfo };
      return { repository: { pullRequests } };
    }
    if (name === 'PullRequestCreate')
      return { createPullRequest: { pullRequest: this.#create(input) } };
    if (name === 'PullRequestCreateMetadata') {
      if (this.trouble === 'no-labels') return undefined;
      this.#last().labels.push(...strings(input.labelIds));
      return { updatePullRequest: { clientMutationId: '' } };
    }
    if (name === 'PullRequestCreateRequestReviews') {
      this.#last().reviewers.push(...strings(input.userIds));
      return { requestReviews: { clientMutationId: '' } };
    }
    if (name === 'RepositoryInfo') return { repository: repository() };
    if (name === 'RepositoryNetwork') {
      return { viewer: { login: 'ada' }, repo_000: repository() };
    }
    if (name === 'RepositoryResolveMetadataIDs') {
      const label = { id: 'label-of-agents', name: 'agents' };
      return { repository: { l000: label }, u000: { id: 'user-grace', login: 'grace' } };
    }
    if (name === 'UserCurrent') return { viewer: { login: 'ada' } };
    return undefined;
  }

  #create(input: Input): object {
    const pull = {
      number: this.pulls.length + 12,
      title: String(input.title),
      body: String(input.body),
      head: String(input.headRefName),
      base: String(input.baseRefName),
      isDraft: input.draft === true,
      labels: [],
      reviewers: [],
    };
    this.pulls.push(pull);
    return { id: `pull-${pull.number}`, url: shown(pull).url };
  }

  #last(): FakePull {
    const last = this.pulls.at(-1);
    if (!last) throw new Error('There is no pull request.');
    return last;
  }

  /** Serves a repository as `git http-backend` does behind a web server. */
  #git(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { method = '', headers } = request;
    const env = {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: this.#folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      REMOTE_USER: 'ada',
      REMOTE_ADDR: '127.0.0.1',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    };
    const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(child.stdin);
    child.stdin.on('error', () => {});
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('close', () => {
      const all = Buffer.concat(parts);
      const end = all.indexOf('\r\n\r\n');
      for (const line of all.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(all.subarray(end + 4));
    });
  }
}

type Input = Record<string, unknown>;
type Variables = Record<string, unknown> & { input?: Input };
type Query = { query?: string; variables: Variables | null };

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function shown({ number, base, head, isDraft }: FakePull) {
  return {
    ...{ number, isDraft, state: 'OPEN', baseRefName: base, headRefName: head },
    url: `http://${FAKE_HOST}/ada/app/pull/${number}`,
    headRepositoryOwner: { login: 'ada' },
  };
}

function repository() {
  return {
    ...{ id: 'repository-app', name: 'app', owner: { login: 'ada' }, parent: null },
    ...{ viewerPermission: 'WRITE', defaultBranchRef: { name: 'main' }, isPrivate: false },
    ...{ hasIssuesEnabled: true, squashMergeAllowed: true },
  };
}
