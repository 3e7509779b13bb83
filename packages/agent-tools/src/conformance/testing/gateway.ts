import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LineSplitter } from '@baton/process/line-splitter';
import { type WebSocket, WebSocketServer } from 'ws';

const AGENT = join(import.meta.dirname, '../../../../agents/src/backends/demo/demo-agent.ts');

export type Gateway = {
  url: string;
  /** Breaks all connections, as a network does. */
  cut(): void;
  close(): Promise<void>;
};

/** A gateway that runs a demo agent for every WebSocket, in the folder that its address names. */
export async function startGateway(): Promise<Gateway> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket, { url = '' }) => serve(socket, new URL(url, 'ws://gateway')));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    cut: () => {
      for (const client of server.clients) client.terminate();
    },
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: WebSocket, { searchParams }: URL): void {
  const cwd = searchParams.get('cwd') ?? '.';
  const HOME = searchParams.get('home') ?? '/';
  const env = { ...process.env, HOME };
  const agent = spawn(process.execPath, [AGENT], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = new LineSplitter((line) => socket.send(line));
  agent.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  socket.on('message', (data) => agent.stdin.write(`${String(data)}\n`));
  socket.on('close', () => agent.kill('SIGKILL'));
  agent.on('error', () => {});
  agent.on('close', () => socket.close(1011, 'the agent is gone'));
  agent.stdin.on('error', () => {});
}
