import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type RefusalStatus, refused } from './refused-request.ts';

const STATUSES: Readonly<Record<string, RefusalStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers what Node cannot read as a request in the form of all other errors. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, line: Socket) => {
    if (code !== 'ECONNRESET' && line.writable) line.write(answer(STATUSES[code] ?? 400));
    line.destroySoon();
  });
}

function answer(status: RefusalStatus): string {
  const body = JSON.stringify(refused(status));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
