import type { GatewayServer } from './gateway-server.ts';
import type { Interactions } from './interactions.ts';
import type { UploadedFile } from './message-rules.ts';
import type { Settings } from './options.ts';
import type { Payloads } from './payloads.ts';
import type { Bucket } from './rate-limits.ts';
import type { World } from './world.ts';

/** State that the routes share. */
export type Service = {
  settings: Settings;
  world: World;
  payloads: Payloads;
  gateway: GatewayServer;
  interactions: Interactions;
  /** Messages by author and nonce. */
  nonces: Map<string, { messageId: string; channelId: string; at: number }>;
};

export type RouteRequest = {
  /** The captured parts of the path. */
  params: readonly string[];
  query: URLSearchParams;
  body: unknown;
  files: readonly UploadedFile[];
};

export type Route = {
  method: string;
  path: RegExp;
  /** True if the route needs no bot token. */
  isPublic?: boolean;
  bucket?(settings: Settings, params: readonly string[]): Bucket;
  /** Returns the body of the response; undefined for a response without content. */
  handle(service: Service, request: RouteRequest): unknown;
};
