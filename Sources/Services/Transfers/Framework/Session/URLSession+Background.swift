public import Foundation
public import FoundationNetworking

// A session is made by `URLSession(configuration:delegate:delegateQueue:)`, whose result is Foundation's own class.
// What it makes of a background configuration is *adopted*: it becomes a `BackgroundURLSession`, a subclass without
// stored properties, whose methods lead to the transfer service. Two ways lead here, as neither reaches everywhere:
//
// 1. `CBackgroundTransfer/interposition.c` takes over Foundation's initializers at run time. It reaches every caller,
//    also libraries that were built without knowing of this module, but not where Foundation is linked statically.
// 2. The overloads below are better matches than Foundation's wherever the delegate or the queue is no optional, or the
//    configuration's static type is the background one. They reach every caller that is compiled with this module.
//
// What neither reaches (static linking, a configuration whose type was erased, and no delegate or an optional one) ends
// the program with its first task: see RefusingURLProtocol.

extension URLSession {
    /// Creates a session with a configuration, a delegate and the queue on which the delegate is called.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: any URLSessionDelegate, delegateQueue: OperationQueue?
    ) {
        let claimed = configuration.claimed()
        self.init(configuration: claimed, delegate: claimed.leaves(delegate), delegateQueue: delegateQueue)
        adopt(delegate)
    }

    /// Creates a session with a configuration, a delegate and the queue on which the delegate is called.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue
    ) {
        let claimed = configuration.claimed()
        self.init(configuration: claimed, delegate: claimed.leaves(delegate), delegateQueue: Optional(delegateQueue))
        adopt(delegate)
    }

    /// Creates a session with a configuration, a delegate and the queue on which the delegate is called.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: any URLSessionDelegate, delegateQueue: OperationQueue
    ) {
        let claimed = configuration.claimed()
        self.init(configuration: claimed, delegate: claimed.leaves(delegate), delegateQueue: Optional(delegateQueue))
        adopt(delegate)
    }

    /// Creates a background session, or returns to the one that has the configuration's identifier.
    public convenience init(
        configuration: BackgroundURLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) {
        self.init(
            configuration: configuration.claimed(), delegate: nil as (any URLSessionDelegate)?,
            delegateQueue: delegateQueue)
        adopt(delegate)
    }

    /// Creates a background session without a delegate: what happens is kept until one with a delegate is made.
    public convenience init(configuration: BackgroundURLSessionConfiguration) {
        self.init(configuration: configuration.claimed())
        adopt(nil)
    }

    /// Makes a session that Foundation made of a background configuration a background session, and others sessions
    /// whose downloads can be resumed.
    private func adopt(_ delegate: (any URLSessionDelegate)?) {
        guard let configuration = configuration as? BackgroundURLSessionConfiguration else {
            return ForegroundURLSession.adopt(self)
        }
        guard configuration.core == nil else { return }
        guard type(of: self) == URLSession.self else {
            refuse("\(type(of: self)) cannot be a background session: subclasses of URLSession run in the foreground")
        }
        let client = configuration.client ?? .shared
        configuration.core = client.core(
            configuration.identifier ?? "", for: self, configuration, delegate, delegateQueue)
        ObjectClass.replace(of: self, by: BackgroundURLSession.self)
        configuration.core?.attach()
    }

    /// For the C file, which cannot reach a method.
    fileprivate static func adopt(_ session: URLSession, _ delegate: (any URLSessionDelegate)?) {
        session.adopt(delegate)
    }
}

extension URLSessionConfiguration {
    /// A copy whose session one of the initializers above adopts, and not the interposed one.
    fileprivate func claimed() -> URLSessionConfiguration {
        guard let background = self as? BackgroundURLSessionConfiguration else { return self }
        let copy = background.duplicate()
        copy.isClaimed = true
        return copy
    }

    /// What Foundation keeps of the delegate: nothing in a background session, which keeps it until it is invalid.
    fileprivate func leaves(_ delegate: (any URLSessionDelegate)?) -> (any URLSessionDelegate)? {
        self is BackgroundURLSessionConfiguration ? nil : delegate
    }
}

@_silgen_name("greenroom_url_session_is_background")
func isBackground(_ configuration: URLSessionConfiguration) -> Bool {
    (configuration as? BackgroundURLSessionConfiguration)?.isClaimed == false
}

@_silgen_name("greenroom_url_session_adopt")
func adopt(_ session: URLSession, _ delegate: (any URLSessionDelegate)?) { URLSession.adopt(session, delegate) }
