// One sweep of impulses over eight manifolds at once. [Catto05; Catto11]
#include "selkie/solids/rigid/detail/groups.h"

namespace selkie::rigid::detail {
namespace {

// Velocities of the bodies of a group, in registers.
struct Motion {
  Lane3 va, wa, vb, wb;

  void load(const Row8* rows, const ContactGroup& g) {
    Columns c;
    gather(rows, g.a, c);
    va = {c.c[0], c.c[1], c.c[2]}, wa = {c.c[3], c.c[4], c.c[5]};
    gather(rows, g.b, c);
    vb = {c.c[0], c.c[1], c.c[2]}, wb = {c.c[3], c.c[4], c.c[5]};
  }
  void store(Row8* rows, const ContactGroup& g) const {
    Columns c{{va.x, va.y, va.z, wa.x, wa.y, wa.z, lane(0), lane(0)}};
    scatter(c, g.movable_a, g.a, rows);
    c = {{vb.x, vb.y, vb.z, wb.x, wb.y, wb.z, lane(0), lane(0)}};
    scatter(c, g.movable_b, g.b, rows);
  }
  Lane along(const Lane3& n, const Lane3& turn_a, const Lane3& turn_b) const {
    return dot(n, va - vb) + dot(turn_a, wa) - dot(turn_b, wb);
  }
  void push(const ContactGroup& g, const Lane3& n, const Lane3& answer_a, const Lane3& answer_b, Lane impulse) {
    va += (impulse * g.inverse_mass_a) * n;
    vb -= (impulse * g.inverse_mass_b) * n;
    wa += impulse * answer_a;
    wb -= impulse * answer_b;
  }
};

// Friction within an ellipse of the load: sticking below it, sliding at its dynamic part beyond (RT-44).
void rub(ContactGroup& g, Lane load, Motion& m) {
  const Lane u = m.along(g.tangent, g.slide_a[0], g.slide_b[0]), v = m.along(g.across, g.slide_a[1], g.slide_b[1]);
  Lane p = g.slide_impulse[0] - (g.slide_mass[0] * u + g.slide_mass[1] * v);
  Lane q = g.slide_impulse[1] - (g.slide_mass[1] * u + g.slide_mass[2] * v);
  Lane most_p = g.friction * load, most_q = g.friction_across * load;
  // An axis without friction leaves a stretch of the other, and no load leaves nothing.
  p = select(most_p > lane(0), p, lane(0)), q = select(most_q > lane(0), q, lane(0));
  most_p = select(most_p > lane(0), most_p, lane(1)), most_q = select(most_q > lane(0), most_q, lane(1));
  // (p/most_p)² + (q/most_q)² against one, without dividing by nothing.
  const Lane size = root(p * p * most_q * most_q + q * q * most_p * most_p), most = most_p * most_q;
  const Lane share = select(size > most, g.sliding * most / select(size > lane(0), size, lane(1)), lane(1));
  const Lane dp = share * p - g.slide_impulse[0], dq = share * q - g.slide_impulse[1];
  g.slide_impulse[0] = share * p, g.slide_impulse[1] = share * q;
  m.push(g, g.tangent, g.slide_answer_a[0], g.slide_answer_b[0], dp);
  m.push(g, g.across, g.slide_answer_a[1], g.slide_answer_b[1], dq);

  const Lane spin = dot(g.normal, m.wa - m.wb);
  const Lane limit = lane(0.5) * (g.friction + g.friction_across) * g.twist_radius * load;
  const Lane wanted = g.twist_impulse - g.twist_mass * spin;
  const Lane total = larger(-limit, smaller(limit, wanted)), change = total - g.twist_impulse;
  g.twist_impulse = total;
  m.wa += change * g.twist_answer_a;
  m.wb -= change * g.twist_answer_b;
}

void resist_rolling(ContactGroup& g, Lane load, Motion& m) {
  const Lane3 axes[2] = {g.tangent, g.across};
  const Lane limit = g.rolling * load;
  Lane wanted[2];
  for (int k = 0; k < 2; ++k) wanted[k] = g.roll_impulse[k] - g.roll_mass[k] * dot(axes[k], m.wa - m.wb);
  const Lane size = root(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
  const Lane share = select(size > limit, limit / select(size > lane(0), size, lane(1)), lane(1));
  for (int k = 0; k < 2; ++k) {
    const Lane change = share * wanted[k] - g.roll_impulse[k];
    g.roll_impulse[k] = share * wanted[k];
    m.wa += change * (g.inertia_a * axes[k]);
    m.wb -= change * (g.inertia_b * axes[k]);
  }
}

}  // namespace

void warm_start(ContactGroup& g, Work& work) {
  Motion m;
  m.load(work.velocities.data(), g);
  for (int k = 0; k < g.points; ++k) m.push(g, g.normal, g.row[k].answer_a, g.row[k].answer_b, g.row[k].impulse);
  m.push(g, g.tangent, g.slide_answer_a[0], g.slide_answer_b[0], g.slide_impulse[0]);
  m.push(g, g.across, g.slide_answer_a[1], g.slide_answer_b[1], g.slide_impulse[1]);
  m.wa += g.twist_impulse * g.twist_answer_a;
  m.wb -= g.twist_impulse * g.twist_answer_b;
  m.store(work.velocities.data(), g);
}

void sweep(ContactGroup& g, const SweepRule& rule, Work& work) {
  Motion m, moved;
  m.load(work.velocities.data(), g);
  moved.load(work.deltas.data(), g);
  const Lane inverse_h = lane(1 / rule.h), rate = lane(rule.undo_overlap ? rule.rate : 0);
  const Lane fastest = lane(-rule.push_out_speed);
  const Lane soft_mass = lane(rule.mass_scale), soft_impulse = lane(rule.impulse_scale);
  // Friction first, against the load found so far: the normal condition has the last word.
  Lane load = g.row[0].impulse;
  for (int k = 1; k < g.points; ++k) load += g.row[k].impulse;
  rub(g, load, m);
  if (g.rolls) resist_rolling(g, load, m);
  for (int n = 0; n < g.points * g.rounds; ++n) {
    const int step = n % g.points, k = rule.undo_overlap ? step : g.points - 1 - step;
    PointRow& row = g.row[k];
    const Lane apart = row.separation + moved.along(g.normal, row.turn_a, row.turn_b);
    const LaneMask ahead = apart > lane(0);
    // What is ahead may be used up within the part; overlap is undone at a bounded speed, softly.
    const Lane bias = select(ahead, apart * inverse_h, larger(rate * apart, fastest));
    const Lane mass = select(ahead, row.mass, row.mass * soft_mass);
    const Lane leak = select(ahead, lane(0), soft_impulse);
    const Lane approach = m.along(g.normal, row.turn_a, row.turn_b);
    const Lane total = max0(row.impulse - mass * (approach + bias) - leak * row.impulse);
    const Lane change = total - row.impulse;
    row.impulse = total;
    row.peak = larger(row.peak, total);
    m.push(g, g.normal, row.answer_a, row.answer_b, change);
  }
  m.store(work.velocities.data(), g);
}

// Impacts give back their share of the speed of approach (RT-42), once the step has stopped it.
void bounce(ContactGroup& g, Work& work) {
  bool any = false;
  for (int k = 0; k < g.points; ++k)
    for (int l = 0; l < 8; ++l) any = any || (g.row[k].rebound[l] > 0 && g.row[k].peak[l] > 0);
  if (!any) return;
  Motion m;
  m.load(work.velocities.data(), g);
  for (int k = 0; k < g.points; ++k) {
    PointRow& row = g.row[k];
    const LaneMask bounces = (row.rebound > lane(0)) & (row.peak > lane(0));
    const Lane missing = row.rebound - m.along(g.normal, row.turn_a, row.turn_b);
    const Lane total = max0(row.impulse + row.mass * missing);
    const Lane change = select(bounces, total - row.impulse, lane(0));
    row.impulse += change;
    m.push(g, g.normal, row.answer_a, row.answer_b, change);
  }
  m.store(work.velocities.data(), g);
}

}  // namespace selkie::rigid::detail
