/**
 * Client for an svc device lab: {@link local.svc.client.SvcClient} for its REST API, {@link
 * local.svc.client.SvcConnection} for drivers, {@link local.svc.client.PhoneLease} to reserve a phone.
 */
package local.svc.client;
