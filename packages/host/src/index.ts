export { EmbeddedHost, type EmbeddedHostOptions } from './embedded-host.ts';
