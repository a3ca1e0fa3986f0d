<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** From a request to a response: routing, sessions, the headers that every page carries, errors. */
final class App
{
    /** method, pattern of the path, class in Olio\Pages and its method */
    private const ROUTES = [
        ['GET', '~^/$~D', Pages\Home::class, 'show'],
        ['GET', '~^/event/([1-9]\d{0,8})$~D', Pages\EventDetail::class, 'show'],
        ['POST', '~^/event/([1-9]\d{0,8})/attend$~D', Pages\EventDetail::class, 'attend'],
        ['GET', '~^/tag/([1-9]\d{0,8})$~D', Pages\TagSearch::class, 'show'],
        ['GET', '~^/search$~D', Pages\TagSearch::class, 'find'],
        ['POST', '~^/search$~D', Pages\TagSearch::class, 'find'],
        ['GET', '~^/person/([1-9]\d{0,8})$~D', Pages\PersonDetail::class, 'show'],
        ['GET', '~^/login$~D', Pages\Login::class, 'form'],
        ['POST', '~^/login$~D', Pages\Login::class, 'submit'],
        ['POST', '~^/logout$~D', Pages\Login::class, 'logout'],
        ['GET', '~^/add-person$~D', Pages\AddPerson::class, 'form'],
        ['POST', '~^/add-person$~D', Pages\AddPerson::class, 'submit'],
        ['GET', '~^/add-event$~D', Pages\AddEvent::class, 'form'],
        ['POST', '~^/add-event$~D', Pages\AddEvent::class, 'submit'],
        ['GET', '~^/api/size$~D', Pages\Service::class, 'size'],
        ['GET', '~^/api/tags$~D', Pages\Service::class, 'tags'],
        ['GET', '~^/health$~D', Pages\Service::class, 'health'],
    ];

    /** @param callable(): Config $config throws ConfigError if a setting is wrong */
    public static function run(Request $request, callable $config): Response
    {
        $context = null;
        try {
            $settings = $config();
            $picture = $request->isRead() ? (new Images($settings->state . '/media'))->answer($request->path) : null;
            if ($picture !== null) {
                return $picture;
            }
            $context = Context::open($request, $settings);
            $response = self::dispatch($context);
        } catch (HttpError $error) {
            $response = self::errorPage($context, $error->status, $error->getMessage());
        } catch (\PDOException $error) {
            error_log('database: ' . $error->getMessage());
            $response = self::errorPage(null, 503, 'The database does not answer. Please try again in a moment.')
                ->with('Retry-After', '5');
        } catch (\Throwable $error) {
            error_log($error::class . ': ' . $error->getMessage() . ' at ' . $error->getFile() . ':' . $error->getLine());
            $response = self::errorPage($context, 500, 'Something went wrong here. The reason is in the server\'s log.');
        }
        $user = $context?->user?->id;
        return $response
            ->with('X-User', $user === null ? 'anon' : (string) $user)
            ->with('X-Built', sprintf('%.3F', $request->time))
            ->with('Content-Security-Policy', "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
            ->with('Referrer-Policy', 'same-origin');
    }

    private static function dispatch(Context $context): Response
    {
        $request = $context->request;
        if ($request->bodyWasTooLarge()) {
            throw new HttpError(413, 'What you sent is too large. An image may have at most 1 MiB.');
        }
        $method = $request->isRead() ? 'GET' : $request->method;
        $known = false;
        foreach (self::ROUTES as [$verb, $pattern, $class, $action]) {
            if (preg_match($pattern, $request->path, $match) === 1) {
                if ($verb === $method) {
                    return (new $class($context))->$action(...array_map(intval(...), array_slice($match, 1)));
                }
                $known = true;
            }
        }
        throw $known ? new HttpError(405, 'This address does not take that kind of request.')
            : new HttpError(404, 'There is no such page.');
    }

    private static function errorPage(?Context $context, int $status, string $message): Response
    {
        $body = View::standalone('error', ['status' => $status, 'message' => $message, 'user' => $context?->user]);
        return (new Response($status, $body))->with('Content-Type', 'text/html; charset=utf-8');
    }
}
