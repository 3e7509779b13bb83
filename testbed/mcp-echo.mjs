/**
 * An MCP server on stdin and stdout with one tool, `say`, which gives its text back.
 * Lines are split by hand because `readline` also splits at U+2028.
 */
let pending = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (pending + chunk).split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) answer(JSON.parse(line));
});

const say = {
  name: 'say',
  description: 'Says the text back.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

function answer({ id, method, params }) {
  if (method === 'initialize') {
    const serverInfo = { name: 'echo', version: '1.0.0' };
    const { protocolVersion } = params;
    return send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') return send({ id, result: { tools: [say] } });
  if (method === 'tools/call') {
    const text = `echo: ${params.arguments.text}`;
    return send({ id, result: { content: [{ type: 'text', text }] } });
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: `No method ${method}` } });
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
