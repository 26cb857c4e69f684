import { defineSink } from '../definition.ts';
import { anyField, fillName, fillPath, fitting } from '../fill.ts';
import { fieldPlace } from '../place.ts';
import { createAwsSink } from './aws-sink.ts';
import { awsSettings, awsSpecOf } from './settings.ts';

const secretId = /^[A-Za-z0-9/_+=.@:!-]{1,2048}$/;

export const awsSink = defineSink({
  kind: 'aws',
  description: 'AWS sink: AWS Secrets Manager.',
  settings: awsSettings,
  spec: awsSpecOf,
  fill: (spec, names) => ({
    ...spec,
    secret: fitting(fillPath(spec.secret, names), secretId, 'name of a secret of AWS'),
    field: spec.field === undefined ? undefined : fillName(spec.field, names, anyField, 'name of a field'),
  }),
  place: ({ endpoint, region, secret, field }) =>
    fieldPlace(`aws:${endpoint ?? region ?? ''}/${secret}`, field),
  create: createAwsSink,
});
