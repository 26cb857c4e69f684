type Input = Readonly<Record<string, unknown>>;

const image = 'data:image/png;base64,iVBORw0KGgo=';

/** Inputs of each endpoint that together have every field of the contract; the first is complete on its own. */
export const fullInputs: Readonly<Record<string, readonly Input[]>> = {
  'create-persona': [
    {
      root_clip_id: 'clip-1',
      name: 'Night driver',
      description: 'calm',
      clips: ['clip-2'],
      is_public: false,
    },
  ],
  'upload-audio': [{ url: 'https://cdn.example/1.mp3' }],
  concat: [{ clip_id: 'clip-1' }],
  imagine: [
    {
      prompt: 'a lighthouse',
      botType: 'STYLIZED_BOT',
      base64Array: [image],
      notifyHook: 'https://hooks.example/1',
      noStorage: true,
      accountFilter: { modes: ['FAST'], remark: 'x' },
    },
    { prompt: 'a lighthouse', base64Array: null, notifyHook: null },
  ],
  blend: [
    {
      base64Array: [image, image],
      botType: 'STANDARD_BOT',
      dimensions: 'PORTRAIT',
      notifyHook: 'https://hooks.example/1',
      state: 'mine',
    },
  ],
  describe: [
    { link: 'https://cdn.example/1.png', notifyHook: 'https://hooks.example/1', language: 'zh' },
    { base64: image, language: 'in' },
  ],
  action: [
    {
      customId: 'MJ::JOB::upsample::1::x',
      taskId: '1700000000001',
      enableRemix: true,
      notifyHook: 'https://hooks.example/1',
      state: 'mine',
      noStorage: true,
    },
  ],
  'upload-images': [{ base64Array: [image] }],
  'generate-image': [{ prompt: 'a lighthouse', model: 'gpt-image-1', size: '1024x1024' }],
  'edit-image': [
    {
      prompt: 'make it night',
      input_image: 'iVBORw0KGgo=',
      input_image_2: 'iVBORw0KGgo=',
      input_image_3: 'iVBORw0KGgo=',
      input_image_4: 'iVBORw0KGgo=',
      seed: 42,
      aspect_ratio: '16:9',
      output_format: 'jpeg',
      webhook_url: 'https://hooks.example/1',
      webhook_secret: 'a secret of mine',
      prompt_upsampling: true,
      safety_tolerance: 2,
    },
  ],
  messages: [
    {
      model: 'claude-haiku-4-5',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 100,
      stream: false,
      temperature: 0.5,
      top_k: 40,
      top_p: 0.9,
    },
  ],
  embeddings: [
    { model: 'text-embedding-3-small', input: 'one', encoding_format: 'base64', dimensions: 8 },
    { model: 'text-embedding-3-small', input: ['one', 'two'] },
    { model: 'text-embedding-3-small', input: [1, 2, 3] },
    { model: 'text-embedding-3-small', input: [[1, 2], [3]] },
  ],
};

/** One input of every endpoint. */
export const inputs: Readonly<Record<string, Input>> = {
  ...Object.fromEntries(Object.entries(fullInputs).map(([name, [first = {}]]) => [name, first])),
  feed: { clip_id: 'clip-1' },
  'music-task': { task_id: 'task-1' },
  'image-task': { id: '1700000000001' },
};
