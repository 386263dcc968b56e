// Draws the map in first person: the ray caster of the clips (stimuli/raycaster.py), with its lens and its pictures at
// half their size; close by in full size, where that is loaded. Metres, and radians counter-clockwise from east.

const M = 1_000_000;
const TURN = 360_000;
const GOAL_BLUE = [20, 92, 255];
const PILLAR = { radius: 0.42, glow: 1.5, top: 9 };
const NEAREST_M = 0.02;
const REACH_M = 58; // the map's diagonal

async function texels(src) {
  const image = new Image();
  image.src = src;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return { pixels: new Uint32Array(data.buffer), width: image.width, height: image.height };
}

/** A picture, and a finer one of what is nearer than `within`. */
const levels = (far, near = far, within = 0) => ({ far, near, within });

export async function openView(canvas, { ground, world, goal }) {
  const [floor, walls, sky] = await Promise.all([world.floor, world.walls, world.sky].map(({ src }) => texels(src)));
  return new View(canvas, ground, world, goal, { floor, walls, sky });
}

class View {
  constructor(canvas, ground, world, goal, pictures) {
    const { width, height, focal } = world;
    Object.assign(this, { ground, world, pictures, goal: { x: goal.x / M, y: goal.y / M } });
    [canvas.width, canvas.height] = [width, height];
    this.context = canvas.getContext("2d", { alpha: false });
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.covered = new Int32Array(width); // rows from the bottom that hide the foot of the pillar
    this.across = Float64Array.from({ length: width }, (_, column) => (column + 0.5 - width / 2) / focal);
    this.bearing = this.across.map(Math.atan);
    const lost = (step) => Math.exp(-Math.max((step + 0.5) / 16 - world.haze_from_m, 0) / world.haze_length_m);
    this.keep = Uint16Array.from({ length: 1024 }, (_, step) => Math.round(256 * lost(step)));
    this.lightGoal(pictures.floor, world.floor.per_m);
    this.floors = levels({ ...pictures.floor, per: world.floor.per_m });
    this.walls = levels({ ...pictures.walls, per: world.walls.per_m });
    this.map = this.paintMap();
  }

  /** What stands near from pictures of full size, once these are there. */
  async refine() {
    const { floor, walls, within_m: within } = this.world.fine;
    const [floorPicture, wallsPicture] = await Promise.all([texels(floor.src), texels(walls.src)]);
    this.lightGoal(floorPicture, floor.per_m);
    this.floors = levels(this.floors.far, { ...floorPicture, per: floor.per_m }, within);
    this.walls = levels(this.walls.far, { ...wallsPicture, per: walls.per_m }, within);
  }

  /** Back to half size: the device is slow. */
  coarsen() {
    this.floors = levels(this.floors.far);
    this.walls = levels(this.walls.far);
  }

  /** The blue of the goal on a picture of the floor. */
  lightGoal({ pixels, width }, per) {
    for (let y = Math.floor((this.goal.y - 3) * per); y < (this.goal.y + 3) * per; y += 1) {
      for (let x = Math.floor((this.goal.x - 3) * per); x < (this.goal.x + 3) * per; x += 1) {
        if (x < 0 || y < 0 || x >= width || y >= width) continue;
        const away = Math.hypot((x + 0.5) / per - this.goal.x, (y + 0.5) / per - this.goal.y);
        const light = 0.85 * Math.max(0, 1 - away / 3) ** 2 + 0.9 * Math.max(0, 1 - Math.abs(away - 0.98) / 0.07);
        const at = y * width + x;
        const channel = (shift, blue) => Math.min(255, ((pixels[at] >> shift) & 255) + light * blue) << shift;
        pixels[at] = (0xff000000 | channel(16, GOAL_BLUE[2]) | channel(8, GOAL_BLUE[1]) | channel(0, GOAL_BLUE[0])) >>> 0;
      }
    }
  }

  draw(walker, seconds) {
    const cell = this.cell(walker.x / M, walker.y / M);
    const [x, y] = [walker.x / M, walker.y / M];
    const heading = (walker.heading / TURN) * 2 * Math.PI;
    const eye = this.height(cell, x, y) + this.world.eye_m;
    const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
    const depth = (this.goal.x - x) * cos + (this.goal.y - y) * sin - PILLAR.radius;
    for (let column = 0; column < this.world.width; column += 1) {
      this.column(column, x, y, eye, cos + this.across[column] * sin, sin - this.across[column] * cos, heading, depth);
    }
    this.pillar(x, y, eye, cos, sin, seconds);
    this.context.putImageData(this.image, 0, 0);
    this.drawMap(x, y, heading);
  }

  cell(x, y) {
    const most = this.ground.size - 1;
    const within = (value) => Math.max(0, Math.min(most, Math.floor(value)));
    return within(x) * this.ground.size + within(y);
  }

  /** Of the plane of a cell, in metres. */
  height(cell, x, y) {
    const { base, slope_x: slopeX, slope_y: slopeY } = this.ground;
    return (base[cell] + (slopeX[cell] * x + slopeY[cell] * y) * M) / (1000 * M);
  }

  /** One column from the bottom up: away from the eye, what stands above all that is nearer is seen. */
  column(column, x, y, eye, east, north, heading, pillarDepth) {
    const { size } = this.ground;
    const { height, focal, horizon } = this.world;
    const level = height - horizon + 0.5;
    const rowsBelow = (slope) => Math.max(0, Math.min(height, Math.floor(slope * focal + level)));
    const [stepX, stepY] = [east > 0 ? 1 : -1, north > 0 ? 1 : -1];
    let [cellX, cellY] = [Math.floor(x), Math.floor(y)];
    let nextX = (cellX + (east > 0 ? 1 : 0) - x) / east;
    let nextY = (cellY + (north > 0 ? 1 : 0) - y) / north;
    const [eachX, eachY] = [Math.abs(1 / east), Math.abs(1 / north)];
    let row = 0;
    this.covered[column] = 0;
    while (row < height) {
      const before = cellX * size + cellY;
      const isX = nextX < nextY;
      const depth = isX ? nextX : nextY;
      if (isX) [cellX, nextX] = [cellX + stepX, nextX + eachX];
      else [cellY, nextY] = [cellY + stepY, nextY + eachY];
      if (depth <= NEAREST_M) continue; // on the line itself
      const [atX, atY] = [x + east * depth, y + north * depth];
      const zBefore = this.height(before, atX, atY);
      row = this.floorRun(column, row, rowsBelow((zBefore - eye) / depth), before, x, y, eye, east, north, depth);
      if (cellX < 0 || cellY < 0 || cellX >= size || cellY >= size || depth > REACH_M) break;
      const behind = cellX * size + cellY;
      const zBehind = this.height(behind, atX, atY);
      if (zBehind > zBefore) {
        const facing = isX ? (east < 0 ? 1 : 0) : north < 0 ? 3 : 2;
        const end = rowsBelow((zBehind - eye) / depth);
        row = this.wallRun(column, row, end, behind, facing, isX ? atY : atX, eye, depth);
      }
      if (depth < pillarDepth) this.covered[column] = row;
    }
    this.skyRun(column, row, heading);
  }

  floorRun(column, from, to, cell, x, y, eye, east, north, farthest) {
    const { width, height, focal, horizon } = this.world;
    const { far, near, within } = this.floors;
    const { pixels: farPixels, width: farSide, per: farPer } = far;
    const { pixels: nearPixels, width: nearSide, per: nearPer } = near;
    const { slope_x: slopeX, slope_y: slopeY } = this.ground;
    const rise = this.height(cell, x, y) - eye;
    const slope = (slopeX[cell] * east + slopeY[cell] * north) / 1000;
    const below = height - horizon - 0.5;
    for (let row = from; row < to; row += 1) {
      const depth = rise > -0.02 ? farthest : rise / ((row - below) / focal - slope);
      const isNear = depth < within;
      const pixels = isNear ? nearPixels : farPixels;
      const side = isNear ? nearSide : farSide;
      const per = isNear ? nearPer : farPer;
      const texelX = Math.max(0, Math.min(side - 1, ((x + east * depth) * per) | 0));
      const texelY = Math.max(0, Math.min(side - 1, ((y + north * depth) * per) | 0));
      this.put(column + (height - 1 - row) * width, pixels[texelY * side + texelX], depth);
    }
    return Math.max(from, to);
  }

  wallRun(column, from, to, cell, facing, along, eye, depth) {
    const { width, height, focal, horizon, kinds, walls } = this.world;
    const { far, near, within } = this.walls;
    const { pixels, width: side, per } = depth < within ? near : far;
    const rows = walls.height_m * per;
    const first = (Math.max(0, kinds[cell] - 1) * 4 + facing) * rows;
    const across = Math.min(side - 1, ((along % walls.width_m) * per) | 0);
    const below = height - horizon - 0.5;
    for (let row = from; row < to; row += 1) {
      const z = ((row - below) / focal) * depth + eye;
      const up = Math.max(0, Math.min(rows - 1, (z * per) | 0));
      this.put(column + (height - 1 - row) * width, pixels[(first + up) * side + across], depth);
    }
    return Math.max(from, to);
  }

  skyRun(column, from, heading) {
    const { width, height } = this.world;
    const { pixels, width: columns, height: rows } = this.pictures.sky;
    const turn = Math.floor(((heading - this.bearing[column]) * columns) / (2 * Math.PI));
    const across = ((turn % columns) + columns) % columns;
    for (let top = height - 1 - from; top >= 0; top -= 1) {
      const row = Math.min(rows - 1, top >> 1);
      this.pixels[column + top * width] = pixels[row * columns + across];
    }
  }

  put(at, texel, depth) {
    const keep = this.keep[Math.min(1023, (depth * 16) | 0)];
    const lost = 256 - keep;
    const [red, green, blue] = this.world.haze;
    const mixed = (shift, haze) => (((texel >> shift) & 255) * keep + haze * lost) >> 8;
    this.pixels[at] = (0xff000000 | (mixed(16, blue) << 16) | (mixed(8, green) << 8) | mixed(0, red)) >>> 0;
  }

  /** The pillar of light over the goal, wherever nothing nearer stands. */
  pillar(x, y, eye, cos, sin, seconds) {
    const { width, height, focal, horizon } = this.world;
    const [east, north] = [this.goal.x - x, this.goal.y - y];
    const depth = east * cos + north * sin;
    if (depth < PILLAR.radius + 0.1) return;
    const above = eye - this.height(this.cell(this.goal.x, this.goal.y), this.goal.x, this.goal.y);
    const scale = focal / depth;
    const middle = width / 2 + (east * sin - north * cos) * scale;
    const first = Math.max(0, Math.floor(middle - PILLAR.glow * scale));
    const last = Math.min(width, Math.ceil(middle + PILLAR.glow * scale) + 1);
    const top = Math.max(0, Math.floor(horizon - (PILLAR.top - above) * scale));
    const clip = (value) => Math.max(0, Math.min(1, value));
    for (let column = first; column < last; column += 1) {
      const aside = Math.abs(column + 0.5 - middle) / scale;
      const front = depth - Math.sqrt(Math.max(0, PILLAR.radius ** 2 - aside ** 2));
      const bottom = Math.min(height - this.covered[column], Math.ceil(horizon + (above * focal) / (depth - PILLAR.radius)) + 1);
      const inside = clip((PILLAR.radius - aside) * scale + 0.5);
      const round = 0.7 + 0.3 * Math.sqrt(Math.max(0, 1 - (aside / PILLAR.radius) ** 2));
      const halo = 0.5 * Math.exp(-((aside / (0.42 * PILLAR.glow)) ** 2)) * clip(4 - (4 * aside) / PILLAR.glow);
      for (let row = top; row < bottom; row += 1) {
        const up = above + ((horizon - row - 0.5) / focal) * front;
        const fade = clip((PILLAR.top - up) / (0.72 * PILLAR.top));
        const ripple = 0.9 + 0.1 * Math.sin(up * 5 - seconds * 7);
        const solid = 0.95 * inside * clip(up * scale + 0.5) * fade * ripple * round;
        const strength = 1 - (1 - solid) * (1 - halo * clip(up / 0.5 + 1) * fade);
        const white = 0.5 * clip(1 - aside / (0.5 * PILLAR.radius)) * solid;
        const at = column + row * width;
        const under = this.pixels[at];
        const blend = (shift, blue) =>
          (((under >> shift) & 255) * (1 - strength) + (blue + (255 - blue) * white) * strength) << shift;
        this.pixels[at] = (0xff000000 | blend(16, GOAL_BLUE[2]) | blend(8, GOAL_BLUE[1]) | blend(0, GOAL_BLUE[0])) >>> 0;
      }
    }
  }

  /** North up: obstacles light, ramps amber, goal blue. */
  paintMap() {
    const { size, obstacle } = this.ground;
    const { kinds, ramps } = this.world;
    const map = document.createElement("canvas");
    map.width = map.height = 100;
    const context = map.getContext("2d");
    context.fillStyle = "rgb(224 217 204)";
    context.fillRect(0, 0, 100, 100);
    for (let cell = 0; cell < size * size; cell += 1) {
      const colour = obstacle[cell] ? "rgb(189 181 171)" : ramps[cell] ? "rgb(158 104 41)" : kinds[cell] ? "rgb(69 66 71)" : "rgb(33 33 38)";
      context.fillStyle = colour;
      const [left, top] = [2 + Math.floor(cell / size) * 2.4, 98 - ((cell % size) + 1) * 2.4];
      context.fillRect(Math.round(left), Math.round(top), 3, 3);
    }
    const [x, y] = [2 + this.goal.x * 2.4, 98 - this.goal.y * 2.4];
    const glow = context.createRadialGradient(x, y, 0, x, y, 10);
    glow.addColorStop(0, "rgb(20 92 255 / 70%)");
    glow.addColorStop(1, "rgb(20 92 255 / 0%)");
    context.fillStyle = glow;
    context.fillRect(0, 0, 100, 100);
    context.fillStyle = "rgb(20 92 255)";
    context.beginPath();
    context.arc(x, y, 4.1, 0, 2 * Math.PI);
    context.fill();
    return map;
  }

  drawMap(x, y, heading) {
    const { context } = this;
    const [left, top] = [this.world.width - 108, 8];
    context.drawImage(this.map, left, top);
    context.save();
    context.translate(left + 2 + x * 2.4, top + 98 - y * 2.4);
    context.rotate(-heading);
    context.beginPath();
    for (const [ahead, aside] of [[7, 0], [-4.6, 4.9], [-2.4, 0], [-4.6, -4.9]]) context.lineTo(ahead, aside);
    context.closePath();
    context.fillStyle = "rgb(255 219 51)";
    context.strokeStyle = "rgb(0 0 0)";
    context.stroke();
    context.fill();
    context.restore();
  }
}
