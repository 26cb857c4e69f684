export { createSink } from './sinks/create-sink.ts';
export { placesClash } from './sinks/places.ts';
export { runThen } from './sinks/then-command.ts';
export type { SinkMeans } from './sinks/sink-means.ts';
export type { CommandOrder, SinkSpec } from './sinks/sink-spec.ts';
