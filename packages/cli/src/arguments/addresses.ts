import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

const EVERYWHERE = ['0.0.0.0', '::'];
/** Addresses that mean nothing without the name of a network card. */
const LINK_LOCAL = /^fe80:/i;

type Cards = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** The addresses at which others reach a server that listens to a host and has an address for this machine. */
export function addressesForOthers(host: string, url: string, cards: Cards = networkInterfaces()) {
  if (!EVERYWHERE.includes(host)) return [url];
  return Object.values(cards)
    .flatMap((infos) => infos ?? [])
    .filter(({ internal, family }) => !internal && (family === 'IPv4' || host === '::'))
    .filter(({ address }) => !LINK_LOCAL.test(address))
    .map(({ address, family }) => withHost(url, family === 'IPv6' ? `[${address}]` : address));
}

function withHost(url: string, hostname: string): string {
  const other = new URL(url);
  other.hostname = hostname;
  return other.origin;
}
