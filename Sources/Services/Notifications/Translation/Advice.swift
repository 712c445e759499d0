package import Model
package import NotificationsCore
package import PushLink

/// What the agent says to the gateway of silent pushes that can wait.
extension AgentRecord {
    package static func hold(_ topic: String, _ hold: GatewayHold) -> AgentRecord {
        switch hold {
        case .never: .hold(topic: topic, .never)
        case .lasts(let span): .hold(topic: topic, .until(max(1, seconds(span))))
        case .ordinary: .hold(topic: topic, nil)
        }
    }

    package static func patience(_ span: Span) -> AgentRecord { .patience(seconds: seconds(span)) }

    /// Rounded up: a push that comes too early would wait on the device, where it has woken the radio.
    private static func seconds(_ span: Span) -> Int {
        let whole = (max(.zero, span).nanoseconds + 999_999_999) / 1_000_000_000
        return min(LinkRules.longestWait, Int(whole))
    }
}
