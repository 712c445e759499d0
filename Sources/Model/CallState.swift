/// On the telephone: somebody calls, or the user has accepted.
package enum CallState: String, Hashable, Sendable, Codable, CaseIterable { case none, ringing, connected }
