package import Wire

/// The methods of a client connection of the transfer service (`docs/TRANSFERS.md`).
package enum TransferClientMethod: String, Sendable, CaseIterable {
    case hello, open, tasks, create, resume, suspend, cancel, change, credential, invalidate
}

/// What the transfer service sends to a client: `event` is a request, `progress` is not.
package enum TransferClientMessage: String, Sendable, CaseIterable { case event, progress }

/// The methods of the control connection that tools may use.
package enum TransferToolMethod: String, Sendable, CaseIterable {
    case hello, add, list, pause, resume, cancel, why, wait, watch, simulate
}

package enum TransferRole: String, Sendable, CaseIterable { case tool }
package enum TransferKindName: String, Sendable, CaseIterable { case download, upload }
package enum TransferCookies: String, Sendable, CaseIterable { case always, never, mainDocument }
/// Foundation's `NetworkServiceType`, `default` left out.
package enum TransferServiceType: String, Sendable, CaseIterable { case voip, video, background, voice, callSignaling }
package enum TransferProxyKind: String, Sendable, CaseIterable { case http, socks }
package enum TransferTaskState: String, Sendable, CaseIterable { case suspended, running, canceling, completed }
/// The windows of its declaration: what apps are woken for.
package enum TransferWindow: String, Sendable, CaseIterable { case session, authentication }

package enum TransferStateName: String, Sendable, CaseIterable {
    case suspended, waiting, running, done, failed, cancelled
}

package enum TransferDisposition: String, Sendable, CaseIterable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
}

package enum TransferDelayedDisposition: String, Sendable, CaseIterable {
    case continueLoading, useNewRequest, cancel
}

/// The version of the transfer service's protocol.
package let transferProtocolVersion = 1

/// The parameters of `hello`: a tool has a role, a client has a name and says which app it is.
package enum TransferHello: WireRecord {
    case control(TransferRole)
    /// On an attached connection the service knows the app, and `app` is absent.
    case client(name: String, app: String?, container: String?)

    package init(json: JSONValue) throws(RPCError) {
        try json.checkVersion(transferProtocolVersion)
        if let role: TransferRole = try json.optionalWord("role") {
            self = .control(role)
        } else {
            self = .client(
                name: try json.string("client"), app: try json.optionalString("app"),
                container: try json.optionalString("container"))
        }
    }

    package var json: JSONValue {
        let version = JSONValue.int(Int64(transferProtocolVersion))
        return switch self {
        case .control(let role): ["protocol": version, "role": .string(role.rawValue)]
        case .client(let name, let app, let container):
            [
                "protocol": version, "client": .string(name), "app": JSONValue(app),
                "container": JSONValue(container),
            ]
        }
    }
}
