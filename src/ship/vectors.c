/* src/ship/vectors.c -- sb_v_angle: atan2 without libm, whose last bit differs by platform.
 *
 * Tests:    tests/combat/weapons_test.c
 */
#include "ship/vectors.h"

#define PI      3.14159265f
#define HALF_PI 1.57079633f

/* The arc tangent of 0 <= x <= 1. Abramowitz and Stegun 4.4.49: error below 2e-8, plus rounding. */
static float small_angle(float x)
{
    float s = x * x;
    float p = 0.0028662257f;
    p = p * s - 0.0161657367f;
    p = p * s + 0.0429096138f;
    p = p * s - 0.0752896400f;
    p = p * s + 0.1065626393f;
    p = p * s - 0.1420889944f;
    p = p * s + 0.1999355085f;
    p = p * s - 0.3333314528f;
    return x + x * s * p;
}

float sb_v_angle(float y, float x)
{
    float ax = fabsf(x), ay = fabsf(y);
    if (!(ax > 0.0f || ay > 0.0f)) return 0.0f;
    float angle = ay > ax ? HALF_PI - small_angle(ax / ay) : small_angle(ay / ax);
    if (x < 0.0f) angle = PI - angle;
    return y < 0.0f ? -angle : angle;
}
