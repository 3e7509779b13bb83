import type { Talk } from './agent.ts';

/** Gives an agent of the Agent Client Protocol a prompt by hand. */
export function acpTalk(prompt: string, cwd: string): Talk {
  const request = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return {
    begin: (write) => write(request(0, 'initialize', { protocolVersion: 1 })),
    read({ id, method, result }, write) {
      if (method !== undefined) return false;
      if (id === 0) write(request(1, 'session/new', { cwd, mcpServers: [] }));
      if (id === 1) {
        const { sessionId } = result as { sessionId: string };
        const text = { type: 'text', text: prompt };
        write(request(2, 'session/prompt', { sessionId, prompt: [text] }));
      }
      return id === 2;
    },
  };
}
