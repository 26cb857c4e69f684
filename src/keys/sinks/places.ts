import { createHash } from 'node:crypto';
import { fillSpec } from './fill-spec.ts';
import type { FileHolds, SinkNames, SinkSpec } from './sink-spec.ts';

/** Where a key stands: something that is written whole, and the part of it that is the key. */
type Place = { readonly whole: string; readonly part: string; readonly overlaps: (part: string) => boolean };

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

const partOf = (holds: FileHolds): string => {
  switch (holds.kind) {
    case 'variable':
      return `#${holds.name}`;
    case 'pointer':
      return `#${holds.pointer}`;
    default:
      return '';
  }
};

const within = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

const filePlace = (path: string, holds: FileHolds): Place => {
  const part = partOf(holds);
  return {
    whole: `file:${path}`,
    part,
    // A file is of one form: as another it would be spoilt.
    overlaps: (other) => {
      const pointers = part.startsWith('#/') && other.startsWith('#/');
      const variables = /^#[^/]/.test(part) && /^#[^/]/.test(other);
      if (pointers) return within(part, other) || within(other, part);
      return variables ? part === other : true;
    },
  };
};

const wholePlace = (whole: string): Place => ({ whole, part: '', overlaps: () => true });

const fieldPlace = (whole: string, field: string | undefined): Place =>
  field === undefined
    ? wholePlace(whole)
    : { whole, part: `#${field}`, overlaps: (other) => other === '' || other === `#${field}` };

const ofFilled = (spec: SinkSpec, names: SinkNames): Place => {
  // A program and a web address are told whose key it is: nothing is known of where they put it.
  const whose = `${names.account}/${names.service}`;
  switch (spec.kind) {
    case 'file':
      return filePlace(spec.path, spec.holds);
    case 'command':
      return wholePlace(`command:${whose}:${spec.argv[0] ?? ''}~${short(JSON.stringify(spec.argv))}`);
    case 'webhook': {
      const url = spec.url.reveal();
      return wholePlace(`webhook:${whose}:${URL.canParse(url) ? new URL(url).host : ''}~${short(url)}`);
    }
    case 'vault': {
      const space = spec.namespace === undefined ? '' : `${spec.namespace}:`;
      return fieldPlace(
        `vault:${spec.address.replace(/\/+$/, '')}/${space}${spec.mount}/${spec.path}`,
        spec.field,
      );
    }
    case 'kubernetes': {
      const cluster = spec.cluster?.server.replace(/\/+$/, '') ?? '';
      return fieldPlace(`kubernetes:${cluster}/${spec.namespace ?? ''}/${spec.secret}`, spec.key);
    }
    case 'aws': {
      const cloud = spec.endpoint ?? spec.region ?? '';
      return fieldPlace(`aws:${cloud}/${spec.secret}`, spec.field);
    }
    default:
      return wholePlace(`file:${spec.path}`);
  }
};

/** Names the place of a filled spec; holds no secret. */
export const placeOf = (filled: SinkSpec, names: SinkNames): string => {
  const { whole, part } = ofFilled(filled, names);
  return whole + part;
};

export type PlaceClash = {
  readonly place: string;
  /** Two or more; one named twice has two sinks in one place. */
  readonly services: readonly SinkNames[];
};

export type SinksOf = SinkNames & { readonly sinks: readonly SinkSpec[] };

/** Which services would share one place, so that one would hold the key of the other. @throws Fault sink-refused for names that fit no place */
export const placesClash = (services: readonly SinksOf[], cwd: string): readonly PlaceClash[] => {
  const taken = new Map<string, { readonly place: Place; readonly names: SinkNames }[]>();
  const clashes = new Map<string, SinkNames[]>();
  for (const { account, service, sinks } of services) {
    const names = { account, service };
    for (const sink of sinks) {
      const place = ofFilled(fillSpec(sink, names, cwd), names);
      const there = taken.get(place.whole) ?? [];
      taken.set(place.whole, [...there, { place, names }]);
      const other = there.find((one) => one.place.overlaps(place.part));
      if (other === undefined) continue;
      const key = other.place.whole + other.place.part;
      clashes.set(key, [...(clashes.get(key) ?? [other.names]), names]);
    }
  }
  return [...clashes].map(([place, shared]) => ({ place, services: shared }));
};
