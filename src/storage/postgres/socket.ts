import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

/** The socket of a connection (the TLS socket after TLS starts). It is a private field of the driver. */
export const socketOf = (client: ClientBase): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;

/** Closes a connection without notifying the server. `end` would wait for the server. A running statement fails. */
export const destroy = (client: ClientBase): void => {
  socketOf(client).destroy();
};
