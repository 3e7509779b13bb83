import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { BatonError } from '@baton/protocol';

type Request = {
  headers: IncomingMessage['headers'];
  socket: { remoteAddress?: string | undefined };
};

/** Tells the address of the client of a request: behind proxies that are trusted, as they forward it. */
export type ClientAddressOf = (request: Request) => string;

const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Makes the function that tells the address of a client. `X-Forwarded-For` counts only as far as the addresses that it
 * came through are trusted; anybody could send it otherwise.
 */
export function clientAddressOf(trusted: readonly string[]): ClientAddressOf {
  const proxies = new BlockList();
  for (const text of trusted.flatMap((each) => (each === 'loopback' ? LOOPBACK : each))) {
    addTo(proxies, text);
  }
  return ({ headers, socket }) => {
    let address = plainAddress(socket.remoteAddress ?? '');
    for (const hop of forwarded(headers).reverse()) {
      const next = plainAddress(hop);
      if (!isListed(proxies, address) || isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

function addTo(list: BlockList, text: string): void {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const most = version === 6 ? 128 : 32;
  const isNet = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most);
  if (version === 0 || !isNet) {
    throw new BatonError('usage', `"${text}" is not a proxy address.`, {
      hint: 'Use addresses (10.0.0.2), networks (10.0.0.0/8) or "loopback", separated by commas.',
    });
  }
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

function isListed(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function forwarded(headers: IncomingMessage['headers']): string[] {
  return [headers['x-forwarded-for'] ?? []].flat().flatMap((line) => line.split(','));
}

/** An IPv4 address that came over IPv6 is the same one. */
function plainAddress(text: string): string {
  return text.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}
